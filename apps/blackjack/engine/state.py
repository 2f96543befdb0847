"""The state of a round, and the words for its parts. Pure.

All values are frozen and hold only what lies open on the table: the hole card is the shoe's until it is
shown, so a state can be stored, logged and sent without a secret in it. Amounts are integers in the
currency's smallest unit.

The values are msgspec structs rather than the standard library's dataclasses: a round makes a few dozen
of them, and frozen dataclasses took about half of its time. `gc=False` is safe where nothing can form a
cycle, which a value that is made whole and never changed cannot.

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
    """Where a round stands."""

    QUESTION = "question"
    """Insurance and early surrender are asked, of all seats at once; the peek comes after."""
    PLAYERS = "players"
    """The hands are played."""
    DEALER = "dealer"
    """A hand is live and no player decides any more; the dealer goes card by card (Pace.SOLO alone)."""
    SETTLED = "settled"


QUESTION: Final = Phase.QUESTION
PLAYERS: Final = Phase.PLAYERS
DEALER: Final = Phase.DEALER
SETTLED: Final = Phase.SETTLED


class Pace(Enum):
    """Who may act when, and who plays the dealer."""

    SOLO = "solo"
    """Seats in their order; each of the dealer's cards is an action of its own."""
    TABLE = "table"
    """Seats in their order; the dealer plays in the last player's action."""
    SPEED = "speed"
    """All seats at once, cards in the order of the actions; the dealer plays in the last of them."""


SOLO: Final = Pace.SOLO
SPEED: Final = Pace.SPEED


class HandStatus(Enum):
    """What has become of a hand; the last six are on the wire under these names."""

    OPEN = "Open"
    """It has a decision to make."""
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

# A tuple, because an Enum's hash is slow and its identity is not.
UNSETTLED: Final = (OPEN, NATURAL, STOOD)


class InsuranceStatus(Enum):
    """What has become of the insurance, by its name on the wire."""

    DECLINED = "insurance_declined"
    PENDING = "insurance_pending"
    WON = "insurance_won"
    LOST = "insurance_lost"


class HandState(msgspec.Struct, frozen=True, gc=False):
    """One hand of a seat. `payout` is what comes back for it, stake included, once its status is final."""

    cards: tuple[Card, ...]
    stake: int
    """What lies on this hand now, doubled or not."""
    status: HandStatus
    is_split: bool = False
    payout: int = 0


class InsuranceState(msgspec.Struct, frozen=True, gc=False):
    """A seat's answer to the question under an ace; `payout` is with its stake in it."""

    stake: int
    status: InsuranceStatus
    payout: int = 0


class SeatState(msgspec.Struct, frozen=True, gc=False):
    """One seat: its hands by index, the highest played first, and what else it has staked."""

    hands: tuple[HandState, ...]
    is_asked: bool = False
    """The question is put to this seat and not answered yet."""
    insurance: InsuranceState | None = None
    side_bets: tuple[SideBetResult, ...] = ()


class RoundState(msgspec.Struct, frozen=True, gc=False):
    """A round between two actions."""

    rules: BlackjackRules
    pace: Pace
    phase: Phase
    seats: tuple[SeatState, ...]
    dealer: tuple[Card, ...]
    """The dealer's cards that are shown."""
    drawn: int
    """Cards taken from the shoe so far, a hole card that is face down among them: the next is shoe[drawn]."""

    @property
    def upcard(self) -> Card:
        return self.dealer[0]

    @property
    def hole_index(self) -> int:
        """The place in the shoe of the hole card, where the rules deal one: the last card of the first deal."""
        return 2 * len(self.seats) + 1

    @property
    def has_hidden_hole(self) -> bool:
        """Whether a card lies face down before the dealer."""
        return self.rules.dealer_peek and len(self.dealer) == 1


def open_hand_index(seat: SeatState) -> int | None:
    """Return the hand that the seat plays next: hands go from the highest index down."""
    hands = seat.hands
    # Most seats hold one hand, and most of the time it is open.
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
    """Return the seats that a decision is waited for from, now: several in the question and at Pace.SPEED."""
    if state.phase is QUESTION:
        return [index for index, seat in enumerate(state.seats) if seat.is_asked]
    return [index for index in range(len(state.seats)) if hand_to_act(state, index) is not None]
