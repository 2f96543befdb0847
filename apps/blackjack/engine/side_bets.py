"""Perfect Pairs and 21+3, which are settled on the first two cards and the upcard, separately from the round. Pure.

A pair has one rank: a king and a queen can be split, but are no pair here (docs/blackjack-rules.md).
"""

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Final

import msgspec

from apps.cards.card import ACE, KING, QUEEN, Card


class SideBet(Enum):
    """The side bets, by their names on the wire.

    What a further one needs: docs/new-game.md, "A further side bet of blackjack".
    """

    PERFECT_PAIRS = "perfectPairs"
    POKER = "poker"
    """21+3."""


class SideBetOutcome(Enum):
    """The outcomes of side bets, by their names on the wire."""

    PERFECT_PAIR = "perfectPair"
    COLOURED_PAIR = "colouredPair"
    MIXED_PAIR = "mixedPair"
    SUITED_TRIPS = "suitedTrips"
    STRAIGHT_FLUSH = "straightFlush"
    THREE_OF_A_KIND = "threeOfAKind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    LOST = "sidebetLost"


PERFECT_PAIRS_WINS: Final = (SideBetOutcome.PERFECT_PAIR, SideBetOutcome.COLOURED_PAIR, SideBetOutcome.MIXED_PAIR)
POKER_WINS: Final = (
    SideBetOutcome.SUITED_TRIPS,
    SideBetOutcome.STRAIGHT_FLUSH,
    SideBetOutcome.THREE_OF_A_KIND,
    SideBetOutcome.STRAIGHT,
    SideBetOutcome.FLUSH,
)

SideBetOdds = Mapping[SideBetOutcome, Fraction]
"""X to 1 for each winning outcome; a missing outcome loses."""

STANDARD_ODDS: Final[SideBetOdds] = MappingProxyType(
    {
        SideBetOutcome.PERFECT_PAIR: Fraction(25),
        SideBetOutcome.COLOURED_PAIR: Fraction(12),
        SideBetOutcome.MIXED_PAIR: Fraction(6),
        SideBetOutcome.SUITED_TRIPS: Fraction(100),
        SideBetOutcome.STRAIGHT_FLUSH: Fraction(40),
        SideBetOutcome.THREE_OF_A_KIND: Fraction(30),
        SideBetOutcome.STRAIGHT: Fraction(10),
        SideBetOutcome.FLUSH: Fraction(5),
    }
)


class SideBetResult(msgspec.Struct, frozen=True, gc=False):
    """A settled side bet; amounts in smallest units, `payout` includes the stake."""

    bet: SideBet
    stake: int
    outcome: SideBetOutcome
    payout: int


def side_bet_settle(
    bet: SideBet, stake: int, cards: tuple[Card, ...], upcard: Card, odds: SideBetOdds
) -> SideBetResult:
    """Settle a side bet of `stake` on a hand's first two `cards`, rounded down to the unit."""
    match bet:
        case SideBet.PERFECT_PAIRS:
            outcome = perfect_pairs_outcome(cards[0], cards[1])
        case SideBet.POKER:
            outcome = poker_outcome(cards[0], cards[1], upcard)
    if outcome not in odds:
        return SideBetResult(bet, stake, SideBetOutcome.LOST, 0)
    to_one = odds[outcome]
    payout = stake * (to_one.numerator + to_one.denominator) // to_one.denominator
    return SideBetResult(bet, stake, outcome, payout)


def perfect_pairs_outcome(first: Card, second: Card) -> SideBetOutcome:
    """Return the kind of pair of the player's first two cards."""
    if first.rank != second.rank:
        return SideBetOutcome.LOST
    if first.suit == second.suit:
        return SideBetOutcome.PERFECT_PAIR
    return SideBetOutcome.COLOURED_PAIR if first.suit.is_red == second.suit.is_red else SideBetOutcome.MIXED_PAIR


def poker_outcome(first: Card, second: Card, upcard: Card) -> SideBetOutcome:
    """Return the best poker hand of the player's first two cards and the dealer's upcard."""
    ranks = sorted((first.rank, second.rank, upcard.rank))
    one_suit = first.suit == second.suit == upcard.suit
    if ranks[0] == ranks[2]:
        return SideBetOutcome.SUITED_TRIPS if one_suit else SideBetOutcome.THREE_OF_A_KIND
    # The ace is low in A-2-3 and high in Q-K-A; K-A-2 is no straight.
    if ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2] or ranks == [ACE, QUEEN, KING]:
        return SideBetOutcome.STRAIGHT_FLUSH if one_suit else SideBetOutcome.STRAIGHT
    return SideBetOutcome.FLUSH if one_suit else SideBetOutcome.LOST
