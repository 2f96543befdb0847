"""Values of hands, and the 21 categories of hands as a total order."""

from itertools import combinations_with_replacement, pairwise

import pytest

from apps.blackjack.engine.value import (
    BUST_RANK,
    NATURAL_RANK,
    hand_rank,
    hand_value,
    is_pair,
    is_soft,
    is_two_card_21,
)
from apps.cards.card import CARDS
from apps.cards.notation import parse_cards


@pytest.mark.parametrize(
    ("cards", "value", "soft"),
    [
        ("H1", 11, True),
        ("H1 D1", 12, True),
        ("H1 D6", 17, True),
        ("H1 D6 S10", 17, False),
        ("H1 D1 S1 C1 H7", 21, True),
        ("HK DQ", 20, False),
        ("HK DQ S1", 21, False),
        ("HK DQ S2", 22, False),
        ("H2", 2, False),
        ("H10 DJ SQ", 30, False),
    ],
)
def test_an_ace_counts_11_until_the_hand_would_bust(cards: str, value: int, soft: bool) -> None:
    hand = parse_cards(cards)
    assert (hand_value(hand), is_soft(hand)) == (value, soft)


def test_value_is_the_best_sum_for_every_hand_of_up_to_four_cards() -> None:
    for count in (1, 2, 3, 4):
        for hand in combinations_with_replacement(CARDS[:13], count):
            hard = sum(card.value for card in hand)
            soft = hard + 10 if any(card.value == 1 for card in hand) else hard
            assert hand_value(hand) == (hard if soft > 21 else soft)


def test_the_21_categories_are_a_total_order() -> None:
    best_first = [
        "H1 DK",
        *["H10 D9 S2", "HK D10", "HK D9", "HK D8", "HK D7", "HK D6", "HK D5", "HK D4", "HK D3", "HK D2"],
        *["H9 D2", "H8 D2", "H7 D2", "H6 D2", "H5 D2", "H4 D2", "H3 D2", "H2 D2"],
        "HK DQ S2",
    ]
    ranks = [hand_rank(parse_cards(cards)) for cards in best_first]
    assert ranks == [NATURAL_RANK, *range(21, 3, -1), BUST_RANK]
    assert all(better > worse for better, worse in pairwise(ranks))
    # No hand of two cards has the value 3, since its ace counts 11; with it there are 21 categories.
    every = {hand_rank(hand) for count in (2, 3, 4) for hand in combinations_with_replacement(CARDS[:13], count)}
    assert every | {3} == {NATURAL_RANK, *range(3, 22), BUST_RANK}
    assert len(every | {3}) == 21


def test_equal_categories_are_equal_whatever_the_cards() -> None:
    assert hand_rank(parse_cards("HK D7")) == hand_rank(parse_cards("H1 D6")) == hand_rank(parse_cards("S5 C5 D7"))
    assert hand_rank(parse_cards("HK DQ S2")) == hand_rank(parse_cards("HK DQ S10"))


def test_a_split_hand_has_no_natural() -> None:
    assert hand_rank(parse_cards("H1 DK"), is_split=True) == 21
    assert hand_rank(parse_cards("H1 DK")) == NATURAL_RANK
    assert not is_two_card_21(parse_cards("H5 D5 S1"))
    assert not is_two_card_21(parse_cards("H9 D2"))


@pytest.mark.parametrize(
    ("cards", "pair"), [("HK DQ", True), ("H10 DJ", True), ("H1 D1", True), ("H9 D10", False), ("H2 D2 S2", False)]
)
def test_cards_of_one_value_can_be_split(cards: str, pair: bool) -> None:
    assert is_pair(parse_cards(cards)) is pair
