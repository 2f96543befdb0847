"""What happened in a round, in order: the stored log, and what the doors build their messages from. Pure.

A hand's index is the one it had at that moment: a later split moves the hands above it up by one.
Amounts are integers in the smallest unit, payouts with the stake in them.
"""

from enum import Enum

import msgspec

from apps.blackjack.engine.side_bets import SideBetResult
from apps.blackjack.engine.state import HandStatus, InsuranceStatus
from apps.cards.card import Card


class StakeKind(Enum):
    """What a stake was taken for."""

    MAIN = "main"
    PERFECT_PAIRS = "perfectPairs"
    POKER = "poker"
    INSURANCE = "insurance"
    DOUBLE = "double"
    SPLIT = "split"


class StakeTaken(msgspec.Struct, frozen=True, gc=False, tag=True):
    """So much is to be debited."""

    seat: int
    kind: StakeKind
    amount: int


class CardDealt(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A card was dealt face up to a hand of a seat."""

    seat: int
    hand: int
    card: Card


class DealerCardShown(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A card of the dealer's is seen for the first time: the upcard, the hole card, a card drawn."""

    card: Card


class SideBetSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A side bet was decided by the deal."""

    seat: int
    result: SideBetResult


class InsuranceDeclined(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A seat answered the question with no."""

    seat: int


class DealerPeeked(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The dealer looked at the hole card; all that is said of it is whether it makes a natural."""

    is_natural: bool


class InsuranceSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The dealer's second card decided an insurance."""

    seat: int
    status: InsuranceStatus
    payout: int


class HandSplit(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A hand became two, at its index and the next."""

    seat: int
    hand: int


class HandStood(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A hand is done and live: by Stand, by Double, at 21, or as a split ace."""

    seat: int
    hand: int


class HandSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A hand's end; `payout` is to be credited."""

    seat: int
    hand: int
    status: HandStatus
    payout: int


class RoundSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Nothing is open any more."""


Event = (
    StakeTaken
    | CardDealt
    | DealerCardShown
    | SideBetSettled
    | InsuranceDeclined
    | DealerPeeked
    | InsuranceSettled
    | HandSplit
    | HandStood
    | HandSettled
    | RoundSettled
)
