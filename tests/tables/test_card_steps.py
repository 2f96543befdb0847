"""A step of a table's round card by card: each card in dealing order, and no card is shown before its step."""

from collections.abc import Sequence

import pytest

from apps.rounds.explanation import ExplainedHand
from apps.tables.card_steps import card_steps

RULES = "the rules"


def hand(label: str, cards: str, total: str = "", note: str = "") -> ExplainedHand:
    """A row; `-` is a card that lies face down."""
    return ExplainedHand(label, ["" if card == "-" else card for card in cards.split()], total, note)


def shown(
    text: str, before: Sequence[ExplainedHand], after: Sequence[ExplainedHand], cards: str
) -> list[tuple[str, list[str]]]:
    """Return each step's text and its rows as text."""
    steps = card_steps(text, RULES, before, after, cards.split())
    return [(step.text, [written(row) for row in step.hands]) for step in steps]


def written(row: ExplainedHand) -> str:
    return f"{row.label}: {' '.join(card or '-' for card in row.cards)} {row.total}{row.note}"


DEALT = [hand("Dealer", "S9 -", "9"), hand("Seat 1", "H2 H3", "5"), hand("Seat 3", "C4 C5", "9")]


def test_the_deal_goes_round_and_ends_with_the_face_down_card() -> None:
    assert [text for text, _ in shown("", [], DEALT, "H2 C4 S9 H3 C5 DK")] == [
        "Card to seat 1", "Card to seat 3", "Card to the dealer",
        "Card to seat 1", "Card to seat 3", "Card face down to the dealer",
    ]  # fmt: skip


def test_rows_grow_by_one_card_a_step_and_have_a_total_when_complete() -> None:
    steps = shown("", [], DEALT, "H2 C4 S9 H3 C5 DK")
    assert steps[3][1] == ["Dealer: S9 ", "Seat 1: H2 H3 5", "Seat 3: C4 "]
    assert steps[-1][1] == ["Dealer: S9 - 9", "Seat 1: H2 H3 5", "Seat 3: C4 C5 9"]


def test_a_face_down_card_equal_to_a_players_card_is_the_dealers() -> None:
    after = [hand("Dealer", "S9 -"), hand("Seat 1", "H2 H3")]
    assert [text for text, _ in shown("", [], after, "H2 S9 H3 H3")][-2:] == [
        "Card to seat 1",
        "Card face down to the dealer",
    ]


def test_a_decision_is_shown_before_its_card_and_results_after_all() -> None:
    after = [
        hand("Dealer", "S9 DK S2", "21"),
        hand("Seat 1", "H2 H3 HK", "15", "Lose"),
        hand("Seat 3", "C4 C5", "9", "Lose"),
    ]
    assert shown("Seat 1: hit", DEALT, after, "HK S2") == [
        ("Seat 1: hit", ["Dealer: S9 - 9", "Seat 1: H2 H3 5", "Seat 3: C4 C5 9"]),
        ("Card to seat 1", ["Dealer: S9 - 9", "Seat 1: H2 H3 HK 15", "Seat 3: C4 C5 9"]),
        ("The face-down card of the dealer is turned", ["Dealer: S9 DK ", "Seat 1: H2 H3 HK 15", "Seat 3: C4 C5 9"]),
        ("Card to the dealer", ["Dealer: S9 DK S2 21", "Seat 1: H2 H3 HK 15Lose", "Seat 3: C4 C5 9Lose"]),
    ]


def test_a_turned_card_alone_is_a_step() -> None:
    after = [hand("Dealer", "S9 DK", "19"), *DEALT[1:]]
    assert [text for text, _ in shown("Seat 3: stand", DEALT, after, "")] == [
        "Seat 3: stand",
        "The face-down card of the dealer is turned",
    ]


def test_a_split_shows_both_hands_and_then_their_cards() -> None:
    before = [hand("Dealer", "S9 -"), hand("Seat 1", "H8 S8", "16")]
    after = [hand("Dealer", "S9 -"), hand("Seat 1, hand 1", "H8 C3", "11"), hand("Seat 1, hand 2", "S8 D5", "13")]
    assert shown("Seat 1: split", before, after, "C3 D5") == [
        ("Seat 1: split", ["Dealer: S9 - ", "Seat 1, hand 1: H8 ", "Seat 1, hand 2: S8 "]),
        ("Card to seat 1, hand 1", ["Dealer: S9 - ", "Seat 1, hand 1: H8 C3 11", "Seat 1, hand 2: S8 "]),
        ("Card to seat 1, hand 2", ["Dealer: S9 - ", "Seat 1, hand 1: H8 C3 11", "Seat 1, hand 2: S8 D5 13"]),
    ]


def test_third_cards_of_sides_come_last() -> None:
    after = [hand("Player", "H1 H2 H3"), hand("Banker", "S1 S2 S3")]
    assert [text for text, _ in shown("", [], after, "H1 S1 H2 S2 H3 S3")] == [
        "Card to the player", "Card to the banker",
    ] * 3  # fmt: skip


@pytest.mark.parametrize("text", ["", "Seat 1: hit"])
def test_a_card_in_no_row_makes_one_step(text: str) -> None:
    assert len(shown(text, [], [hand("Seat 1", "H2")], "H2 S4")) == 1
