"""The side bets' edges: published figures, and an enumeration of all deals of a small shoe."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest

from apps.blackjack.mathematics.side_bets import (
    insurance_edge,
    perfect_pairs_edge,
    perfect_pairs_probabilities,
    poker_edge,
    poker_probabilities,
)
from apps.cards.card import CARDS, Card
from apps.cards.shoe import INFINITE_DECKS

PAIRS = {"perfectPair": Fraction(25), "colouredPair": Fraction(12), "mixedPair": Fraction(6)}
POKER = {
    "suitedTrips": Fraction(100),
    "straightFlush": Fraction(40),
    "threeOfAKind": Fraction(30),
    "straight": Fraction(10),
    "flush": Fraction(5),
}


@pytest.mark.parametrize(("decks", "pct"), [(8, 4.096386), (6, 6.109325), (INFINITE_DECKS, -1.923077)])
def test_the_edge_of_perfect_pairs_is_the_published_one(decks: int, pct: float) -> None:
    assert float(100 * perfect_pairs_edge(PAIRS, decks)) == pytest.approx(pct, abs=5e-7)


@pytest.mark.parametrize(("decks", "pct"), [(8, 3.703913), (6, 4.620970)])
def test_the_edge_of_21_plus_3_is_the_published_one(decks: int, pct: float) -> None:
    assert float(100 * poker_edge(POKER, decks)) == pytest.approx(pct, abs=5e-7)


@pytest.mark.parametrize(("decks", "pct"), [(8, 7.4699), (INFINITE_DECKS, 7.6923)])
def test_the_edge_of_insurance_is_the_published_one(decks: int, pct: float) -> None:
    assert float(100 * insurance_edge(decks)) == pytest.approx(pct, abs=5e-5)


def test_an_outcome_that_is_not_paid_loses_and_an_unknown_one_is_refused() -> None:
    assert perfect_pairs_edge({}, 8) == 1
    assert perfect_pairs_edge({"mixedPair": Fraction(6)}, 8) > perfect_pairs_edge(PAIRS, 8)
    with pytest.raises(ValueError, match="fullHouse"):
        poker_edge({"fullHouse": Fraction(6)}, 8)
    with pytest.raises(ValueError, match="decks is 0"):
        poker_edge(POKER, 0)


@pytest.mark.parametrize("decks", [1, 2])
def test_perfect_pairs_equal_an_enumeration_of_deals(decks: int) -> None:
    seen = Counter(pair_name(*deal) for deal in permutations(CARDS * decks, 2))
    deals = sum(seen.values())
    assert perfect_pairs_probabilities(decks) == {name: Fraction(seen[name], deals) for name in PAIRS}


def test_poker_equals_an_enumeration_of_deals() -> None:
    seen = Counter(poker_name(deal) for deal in permutations(CARDS, 3))
    deals = sum(seen.values())
    assert poker_probabilities(1) == {name: Fraction(seen[name], deals) for name in POKER}


def test_poker_of_an_infinite_deck_equals_an_enumeration() -> None:
    seen = Counter(poker_name(deal) for deal in product(CARDS, repeat=3))
    assert poker_probabilities(INFINITE_DECKS) == {name: Fraction(seen[name], 52**3) for name in POKER}


def pair_name(one: Card, two: Card) -> str:
    if one.rank != two.rank:
        return "none"
    if one.suit == two.suit:
        return "perfectPair"
    return "colouredPair" if one.suit.is_red == two.suit.is_red else "mixedPair"


def poker_name(deal: tuple[Card, ...]) -> str:
    ranks = {card.rank for card in deal}
    flush = len({card.suit for card in deal}) == 1
    if len(ranks) == 1:
        return "suitedTrips" if flush else "threeOfAKind"
    low = min(ranks)
    if ranks in ({low, low + 1, low + 2}, {0, 11, 12}):
        return "straightFlush" if flush else "straight"
    return "flush" if flush else "none"
