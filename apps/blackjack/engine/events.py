"""The events of a round in order: they are the stored log, and the source of messages. Pure.

A hand's index is that of its moment: a later split moves the hands above it up by one. Amounts are integers in the
smallest unit; payouts include the stake.
"""

from enum import Enum

import msgspec

from apps.blackjack.engine.side_bets import SideBetResult
from apps.blackjack.engine.state import HandStatus, InsuranceStatus
from apps.cards.card import Card


class StakeKind(Enum):
    """The kind of a stake."""

    MAIN = "main"
    PERFECT_PAIRS = "perfectPairs"
    POKER = "poker"
    INSURANCE = "insurance"
    DOUBLE = "double"
    SPLIT = "split"


class StakeTaken(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A stake was placed, which the caller must debit."""

    seat: int
    kind: StakeKind
    amount: int


class CardDealt(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A card was dealt face up to a hand of a seat."""

    seat: int
    hand: int
    card: Card


class DealerCardShown(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A card of the dealer was shown for the first time: the upcard, the hole card, or a drawn card."""

    card: Card


class SideBetSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The deal decided a side bet."""

    seat: int
    result: SideBetResult


class InsuranceDeclined(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A seat declined the question."""

    seat: int


class DealerPeeked(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The dealer looked at the hole card; the event only says whether it makes a natural."""

    is_natural: bool


class InsuranceSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The dealer's second card decided an insurance."""

    seat: int
    status: InsuranceStatus
    payout: int


class HandSplit(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A hand was split into two, at its index and the next."""

    seat: int
    hand: int


class HandStood(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A hand is finished and live: by Stand, by Double, at 21, or as a split ace."""

    seat: int
    hand: int


class HandSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A hand ended; the caller must credit `payout`."""

    seat: int
    hand: int
    status: HandStatus
    payout: int


class RoundSettled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The round ended."""


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
