"""The state of a round and its parts. Pure.

All values are frozen and contain only visible cards: the hole card is in the shoe until it is shown, so a state can be
stored, logged and sent without a secret. Amounts are integers in the currency's smallest unit.

The values are msgspec structs rather than the standard library's dataclasses: a round makes a few dozen
of them, and frozen dataclasses would take about half of its time. `gc=False` is safe: a value that is made whole
and never changed cannot be part of a cycle.

The members that are compared at every step have names of their own (`OPEN` is `HandStatus.OPEN`): Python 3.11
takes about ten times as long to find a member in its class.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

import msgspec

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.side_bets import SideBetResult
from apps.cards.card import Card

MAX_SEATS: Final = 7
TEN_VALUE: Final = 10
ACE_VALUE: Final = 1


class Phase(Enum):
    """The phases of a round."""

    QUESTION = "question"
    """All seats are asked about insurance and early surrender at once, before the peek."""
    PLAYERS = "players"
    """The hands are played."""
    DEALER = "dealer"
    """The players have decided, and a hand is live: the dealer plays card by card (only Pace.SOLO)."""
    SETTLED = "settled"


QUESTION: Final = Phase.QUESTION
PLAYERS: Final = Phase.PLAYERS
DEALER: Final = Phase.DEALER
SETTLED: Final = Phase.SETTLED


class Pace(Enum):
    """The order of actions, and how the dealer plays."""

    SOLO = "solo"
    """Seats act in order; each of the dealer's cards is an action of its own."""
    TABLE = "table"
    """Seats act in order; the dealer plays in the last player's action."""
    SPEED = "speed"
    """All seats act at once, with cards in the order of the actions; the dealer plays in the last one."""


SOLO: Final = Pace.SOLO
SPEED: Final = Pace.SPEED


class HandStatus(Enum):
    """The status of a hand; the last six have these names on the wire."""

    OPEN = "Open"
    """It has a decision left."""
    NATURAL = "Natural"
    """A natural that waits for the dealer's second card."""
    STOOD = "Stood"
    """Live: it waits for the dealer's hand."""
    BLACKJACK = "Blackjack"
    WIN = "Win"
    PUSH = "Push"
    LOSE = "Lose"
    BUST = "Bust"
    SURRENDER = "Surrender"

    @property
    def is_final(self) -> bool:
        return self not in UNSETTLED


OPEN: Final = HandStatus.OPEN
NATURAL: Final = HandStatus.NATURAL
STOOD: Final = HandStatus.STOOD
BLACKJACK: Final = HandStatus.BLACKJACK
WIN: Final = HandStatus.WIN
PUSH: Final = HandStatus.PUSH
LOSE: Final = HandStatus.LOSE
BUST: Final = HandStatus.BUST

# A tuple, because hashing an Enum is slow and comparing identities is fast.
UNSETTLED: Final = (OPEN, NATURAL, STOOD)


class InsuranceStatus(Enum):
    """The status of the insurance, by its name on the wire."""

    DECLINED = "insurance_declined"
    PENDING = "insurance_pending"
    WON = "insurance_won"
    LOST = "insurance_lost"


class HandState(msgspec.Struct, frozen=True, gc=False):
    """One hand of a seat. `payout` includes the stake and is set when the status is final."""

    cards: tuple[Card, ...]
    stake: int
    """The current stake of this hand, including a double."""
    status: HandStatus
    is_split: bool = False
    payout: int = 0


class InsuranceState(msgspec.Struct, frozen=True, gc=False):
    """A seat's answer to the insurance question; `payout` includes its stake."""

    stake: int
    status: InsuranceStatus
    payout: int = 0


class SeatState(msgspec.Struct, frozen=True, gc=False):
    """One seat: its hands by index, of which the highest is played first, and its other stakes."""

    hands: tuple[HandState, ...]
    is_asked: bool = False
    """The seat has not answered the question yet."""
    insurance: InsuranceState | None = None
    side_bets: tuple[SideBetResult, ...] = ()


class RoundState(msgspec.Struct, frozen=True, gc=False):
    """The state of a round between two actions."""

    rules: BlackjackRules
    pace: Pace
    phase: Phase
    seats: tuple[SeatState, ...]
    dealer: tuple[Card, ...]
    """The dealer's shown cards."""
    drawn: int
    """The number of cards taken from the shoe, including a hidden hole card; the next one is shoe[drawn]."""

    @property
    def upcard(self) -> Card:
        return self.dealer[0]

    @property
    def hole_index(self) -> int:
        """The place of the hole card in the shoe: it is the last card of the first deal."""
        return 2 * len(self.seats) + 1

    @property
    def has_hidden_hole(self) -> bool:
        """Whether the dealer has a face-down card."""
        return self.rules.dealer_peek and len(self.dealer) == 1


def open_hand_index(seat: SeatState) -> int | None:
    """Return the index of the hand that the seat plays next: hands are played from the highest index down."""
    hands = seat.hands
    # Most seats have one hand, which is open most of the time.
    if len(hands) == 1:
        return 0 if hands[0].status is OPEN else None
    for index in range(len(hands) - 1, -1, -1):
        if hands[index].status is OPEN:
            return index
    return None


def hand_to_act(state: RoundState, seat: int) -> int | None:
    """Return the hand that `seat` plays now; None while the round waits for another seat, an answer or the dealer."""
    if state.phase is not PLAYERS or not 0 <= seat < len(state.seats):
        return None
    if seat > 0 and state.pace is not SPEED:
        for earlier in state.seats[:seat]:
            if open_hand_index(earlier) is not None:
                return None
    return open_hand_index(state.seats[seat])


def seats_to_act(state: RoundState) -> Sequence[int]:
    """Return the seats that must decide now: several in the question and at Pace.SPEED."""
    if state.phase is QUESTION:
        return [index for index, seat in enumerate(state.seats) if seat.is_asked]
    return [index for index in range(len(state.seats)) if hand_to_act(state, index) is not None]
