"""The house edges of side bets and insurance, as exact fractions of the stake. Pure.

They are counted over all deals of a fresh shoe; the order of cards does not matter for these bets.
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Final

from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.cards.shoe import INFINITE_DECKS, deck_count_check
from apps.core.edge_rounding import standard_deviation
from apps.paytables.paytable_rows import PaytableRow

RANKS: Final = 13
SUITS: Final = 4
STRAIGHTS: Final = 12
"""The straights A-2-3 up to Q-K-A: the ace is low or high, and K-A-2 is no straight."""

Odds = Mapping[str, Fraction]
"""X to 1 by the outcome's name on the wire; a missing outcome loses."""


def perfect_pairs_probabilities(decks: int) -> dict[str, Fraction]:
    """Return the probability of each kind of pair of the player's first two cards."""
    deck_count_check(decks)
    if decks == INFINITE_DECKS:
        cards, same = Fraction(52), 1
    else:
        cards, same = Fraction(52 * decks - 1), decks - 1
    copies = 1 if decks == INFINITE_DECKS else decks
    return {
        "perfectPair": same / cards,
        "colouredPair": copies / cards,
        "mixedPair": 2 * copies / cards,
    }


def poker_probabilities(decks: int) -> dict[str, Fraction]:
    """Return the probability of each hand of 21+3: the player's first two cards and the dealer's upcard."""
    deck_count_check(decks)
    copies = 1 if decks == INFINITE_DECKS else decks
    suited_trips = RANKS * SUITS * _threes(1, decks)
    straight_flush = Fraction(STRAIGHTS * SUITS * copies**3)
    hands = {
        "suitedTrips": suited_trips,
        "straightFlush": straight_flush,
        "threeOfAKind": RANKS * _threes(SUITS, decks) - suited_trips,
        "straight": STRAIGHTS * (SUITS * copies) ** 3 - straight_flush,
        "flush": SUITS * _threes(RANKS, decks) - straight_flush - suited_trips,
    }
    every = _threes(RANKS * SUITS, decks)
    return {name: count / every for name, count in hands.items()}


def perfect_pairs_edge(odds: Odds, decks: int) -> Fraction:
    """Return the house edge of Perfect Pairs; negative if it favours the player."""
    return _edge(perfect_pairs_probabilities(decks), odds)


def poker_edge(odds: Odds, decks: int) -> Fraction:
    """Return the house edge of 21+3; negative if it favours the player."""
    return _edge(poker_probabilities(decks), odds)


def perfect_pairs_lines(odds: Odds, decks: int) -> tuple[PaytableRow, ...]:
    """Return every result of Perfect Pairs with its payout."""
    return _lines(perfect_pairs_probabilities(decks), odds)


def poker_lines(odds: Odds, decks: int) -> tuple[PaytableRow, ...]:
    """Return every result of 21+3 with its payout."""
    return _lines(poker_probabilities(decks), odds)


def perfect_pairs_deviation(odds: Odds, decks: int) -> Decimal:
    """Return the standard deviation of the result of a stake of 1 on Perfect Pairs."""
    return _deviation(perfect_pairs_probabilities(decks), odds)


def poker_deviation(odds: Odds, decks: int) -> Decimal:
    """Return the standard deviation of the result of a stake of 1 on 21+3."""
    return _deviation(poker_probabilities(decks), odds)


def insurance_edge(decks: int) -> Fraction:
    """Return the house edge of insurance at 2 to 1, where only the dealer's ace is known."""
    deck_count_check(decks)
    tens = Fraction(16, 52) if decks == INFINITE_DECKS else Fraction(16 * decks, 52 * decks - 1)
    return 1 - 3 * tens


def _edge(probabilities: Mapping[str, Fraction], odds: Odds) -> Fraction:
    if unknown := sorted(set(odds) - set(probabilities)):
        raise ValueError(f"no such outcome: {', '.join(unknown)}")
    return 1 - sum(((odds[name] + 1) * probabilities[name] for name in odds), Fraction(0))


def _lines(probabilities: Mapping[str, Fraction], odds: Odds) -> tuple[PaytableRow, ...]:
    lines = [
        PaytableRow(name, chance, 1 + odds[name] if name in odds else Fraction(0))
        for name, chance in probabilities.items()
    ]
    return (*lines, PaytableRow(SideBetOutcome.LOST.value, 1 - sum(probabilities.values(), Fraction(0)), Fraction(0)))


def _deviation(probabilities: Mapping[str, Fraction], odds: Odds) -> Decimal:
    won = [(odds[name], probabilities[name]) for name in odds]
    lost = 1 - sum((chance for _, chance in won), Fraction(0))
    return standard_deviation([*won, (Fraction(-1), lost)])


def _threes(kinds: int, decks: int) -> Fraction:
    """Return the number of sets of three cards among `kinds` different cards of every deck.

    With infinite decks cards repeat freely, and the number is a sixth of the sequences, which keeps all proportions.
    """
    if decks == INFINITE_DECKS:
        return Fraction(kinds**3, 6)
    return Fraction(comb(kinds * decks, 3))
