"""A table's chain and shoe: the vectors of docs/fairness.md, and what a shoe keeps from round to round."""

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.cards.card import CARDS
from apps.cards.notation import parse_cards
from apps.cards.shoe import INFINITE_DECKS
from apps.fairness.engine import TableShoe, chain_seed, contributions_joined, draw_below, stream
from casino.settings.waits import WAIT_S

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fairness.md"
S3 = "0123456789abcdef" * 4
CHAIN = {
    2: "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
    1: "2b7777de6aec4c7e96d8d9c3357667db6270c1c51144ed62f096a4cd979332a2",
    0: "7b885b56f9eb3e9971df67a97cb54bd9f0af9aec8c2d4042166214d17056b9b5",
}
TWO_DECKS = (2,) * 52
CLIENT_SEED = contributions_joined(["anna", "ben"])


def dealt(shoe: TableShoe, cards: int) -> str:
    return " ".join(shoe[index].code for index in range(cards))


def counts_of(text: str) -> tuple[int, ...]:
    counts = [0] * 52
    for card in parse_cards(text):
        counts[card.number] += 1
    return tuple(counts)


@pytest.mark.parametrize("position", [0, 1, 2])
def test_each_seed_of_a_chain_is_the_hash_of_the_next(position: int) -> None:
    assert chain_seed(S3, 3, position) == CHAIN[position]


@pytest.mark.parametrize("position", [-1, 4])
def test_a_chain_has_no_seed_beyond_its_ends(position: int) -> None:
    with pytest.raises(ValueError, match="of a chain of 3"):
        chain_seed(S3, 3, position)


def test_rounds_of_a_table_deal_from_what_the_rounds_before_left() -> None:
    first = TableShoe(stream(CHAIN[1], CLIENT_SEED, 1), TWO_DECKS, decks=2)
    assert dealt(first, 10) == "DQ H3 D8 H4 DK S2 D2 S5 H1 D8"
    left = first.counts_after(10)
    assert left is not None
    assert sum(left) == 94
    second = TableShoe(stream(CHAIN[2], CLIENT_SEED, 2), left, decks=2)
    assert dealt(second, 10) == "CQ C6 C6 H10 DJ C7 D2 CK D4 S6"


def test_an_empty_shoe_is_filled_with_what_does_not_lie_on_the_table() -> None:
    shoe = TableShoe(stream(S3, CLIENT_SEED, 3), counts_of("H1 H2 D5 SK"), decks=1)
    assert dealt(shoe, 10) == "D5 H2 H1 SK SQ S4 H10 D6 C5 S10"
    left = shoe.counts_after(10)
    assert left is not None
    assert sum(left) == 52 - 10
    assert shoe.counts_after(4) == (0,) * 52


def test_cards_that_were_looked_at_and_not_taken_stay_in_the_shoe() -> None:
    shoe = TableShoe(stream(S3, CLIENT_SEED, 3), TWO_DECKS, decks=2)
    looked_at = shoe[9]
    assert looked_at is shoe[9]
    assert shoe.counts_after(0) == TWO_DECKS


def test_all_cards_of_a_deck_on_the_table_open_a_further_deck() -> None:
    shoe = TableShoe(stream(S3, "", 1), counts_of("H1"), decks=1)
    assert {shoe[index] for index in range(52)} == set(CARDS)
    assert {shoe[index] for index in range(52, 104)} == set(CARDS)


@pytest.mark.parametrize(
    ("discarded", "kept"), [pytest.param(0, 1, id="first"), pytest.param(82595525, 4294967295, id="second")]
)
def test_the_surplus_of_an_integer_is_discarded(discarded: int, kept: int) -> None:
    integers: Iterator[int] = iter([discarded, kept])
    assert draw_below(integers, 52) == (0 if kept == 1 else 51)


def test_an_infinite_deck_has_no_counts() -> None:
    shoe = TableShoe(stream(S3, CLIENT_SEED, 1), None, decks=INFINITE_DECKS)
    assert len({shoe[index] for index in range(500)}) == 52
    assert shoe.counts_after(500) is None
    with pytest.raises(ValueError, match="infinite"):
        TableShoe(repeat(0), TWO_DECKS, decks=INFINITE_DECKS)
    with pytest.raises(ValueError, match="infinite"):
        TableShoe(repeat(0), None, decks=2)


@given(decks=st.integers(1, 8), drawn=st.integers(0, 52), nonce=st.integers(0, 10**6), data=st.data())
def test_a_shoe_falls_by_what_was_dealt(decks: int, drawn: int, nonce: int, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, decks), min_size=52, max_size=52).filter(any))
    shoe = TableShoe(stream(S3, "a", nonce), counts, decks=decks)
    left = shoe.counts_after(drawn)
    assert left is not None
    before_refill = min(drawn, sum(counts))
    expected = list(counts)
    for index in range(before_refill):
        expected[shoe[index].number] -= 1
    assert min(expected) >= 0
    if drawn <= sum(counts):
        assert list(left) == expected
    else:
        # No card is dealt twice in a round as long as the decks have others.
        on_table = [shoe[index].number for index in range(drawn)]
        assert all(on_table.count(number) <= decks for number in set(on_table))
        assert sum(left) == 52 * decks - drawn


def test_the_program_in_the_documents_deals_the_rounds_of_its_table() -> None:
    page = PAGE.read_text()
    _, printed = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-I", "-c", printed], capture_output=True, text=True, check=True, timeout=WAIT_S
    )
    first, second = run.stdout.splitlines()
    assert f"| round 1, ten cards | `{first}` |" in page
    assert f"| round 2, from the 94 cards that are left | `{second}` |" in page
    assert first == "DQ H3 D8 H4 DK S2 D2 S5 H1 D8"
