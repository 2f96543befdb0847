"""The mutable next state during an action. Pure, and never stored."""

from typing import Self

import msgspec

from apps.blackjack.engine.events import (
    CardDealt,
    DealerCardShown,
    Event,
    HandSettled,
    InsuranceSettled,
)
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.settle import INSURANCE_RETURNS, hand_payout
from apps.blackjack.engine.state import (
    HandState,
    HandStatus,
    InsuranceState,
    InsuranceStatus,
    Pace,
    Phase,
    RoundState,
    SeatState,
    open_hand_index,
)
from apps.cards.card import Card
from apps.cards.shoe import Shoe


class RoundDraft(msgspec.Struct):
    """A mutable round; `freeze` returns its state and events."""

    rules: BlackjackRules
    pace: Pace
    phase: Phase
    seats: list[SeatState]
    dealer: tuple[Card, ...]
    drawn: int
    shoe: Shoe
    events: list[Event] = []  # msgspec makes a new list for each draft

    @classmethod
    def of(cls, state: RoundState, shoe: Shoe) -> Self:
        """Return a draft that starts as `state`."""
        return cls(state.rules, state.pace, state.phase, list(state.seats), state.dealer, state.drawn, shoe)

    def freeze(self) -> tuple[RoundState, tuple[Event, ...]]:
        state = RoundState(self.rules, self.pace, self.phase, tuple(self.seats), self.dealer, self.drawn)
        return state, tuple(self.events)

    def draw(self) -> Card:
        """Take the next card of the shoe."""
        card = self.shoe[self.drawn]
        self.drawn += 1
        return card

    def deal_to(self, seat: int, hand: int) -> Card:
        """Take the next card of the shoe, face up, for a hand of a seat."""
        card = self.shoe[self.drawn]
        self.drawn += 1
        self.events.append(CardDealt(seat, hand, card))
        return card

    def hole_card(self) -> Card:
        """Return the hole card: the last card of the first deal."""
        return self.shoe[2 * len(self.seats) + 1]

    def dealer_show(self, card: Card) -> None:
        """Show a card of the dealer."""
        self.dealer = (*self.dealer, card)
        self.events.append(DealerCardShown(card))

    def open_hand(self, seat: int) -> int:
        """Return the hand that the seat plays next. There is one, since the action is legal."""
        index = open_hand_index(self.seats[seat])
        assert index is not None
        return index

    def hand_put(self, seat: int, index: int, hand: HandState) -> None:
        """Replace the seat's hand `index` by `hand`."""
        old = self.seats[seat]
        hands = (hand,) if len(old.hands) == 1 else (*old.hands[:index], hand, *old.hands[index + 1 :])
        self.seats[seat] = SeatState(hands, old.is_asked, old.insurance, old.side_bets)

    def hand_settle(self, seat: int, index: int, status: HandStatus) -> None:
        """End a hand with its payout, rounded down to the unit."""
        hand = self.seats[seat].hands[index]
        payout = hand_payout(hand.stake, status, self.rules)
        self.hand_put(seat, index, HandState(hand.cards, hand.stake, status, hand.is_split, payout))
        self.events.append(HandSettled(seat, index, status, payout))

    def has_open_insurance(self) -> bool:
        """Return whether an insurance waits for the dealer's second card."""
        return any(
            seat.insurance is not None and seat.insurance.status is InsuranceStatus.PENDING for seat in self.seats
        )

    def insurance_settle(self, *, is_won: bool) -> None:
        """Settle every insurance that waits for the dealer's second card."""
        for index, seat in enumerate(self.seats):
            insurance = seat.insurance
            if insurance is None or insurance.status is not InsuranceStatus.PENDING:
                continue
            status = InsuranceStatus.WON if is_won else InsuranceStatus.LOST
            payout = INSURANCE_RETURNS * insurance.stake if is_won else 0
            decided = InsuranceState(insurance.stake, status, payout)
            self.seats[index] = SeatState(seat.hands, seat.is_asked, decided, seat.side_bets)
            self.events.append(InsuranceSettled(index, status, payout))
