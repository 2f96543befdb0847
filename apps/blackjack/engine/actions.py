"""The actions of a round, and the only check of their legality. Pure."""

from enum import Enum
from typing import Final

import msgspec

from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.engine.state import (
    ACE_VALUE,
    DEALER,
    NATURAL,
    PLAYERS,
    QUESTION,
    TEN_VALUE,
    HandState,
    RoundState,
    SeatState,
    hand_to_act,
    open_hand_index,
    seats_to_act,
)
from apps.blackjack.engine.value import hand_value, is_pair


class Move(Enum):
    """The decisions of a round."""

    DECLINE = "decline"
    """The negative answer to the question: no insurance, no early surrender."""
    INSURE = "insure"
    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    DEALER_HIT = "dealer_hit"
    """The dealer shows the second card, or draws the next (Pace.SOLO)."""


DECLINE: Final = Move.DECLINE
INSURE: Final = Move.INSURE
HIT: Final = Move.HIT
STAND: Final = Move.STAND
DOUBLE: Final = Move.DOUBLE
SPLIT: Final = Move.SPLIT
SURRENDER: Final = Move.SURRENDER
DEALER_HIT: Final = Move.DEALER_HIT


class Action(msgspec.Struct, frozen=True, gc=False):
    """One decision of one seat, about the hand that the seat plays next."""

    move: Move
    seat: int = 0
    insurance: int = 0
    """The stake of INSURE in smallest units."""


class IllegalAction(ValueError):
    """A move that `legal_actions` does not list; the round is unchanged."""


class IllegalInsurance(IllegalAction):
    """A stake of insurance outside `insurance_range`; the round is unchanged."""


def legal_actions(state: RoundState, funds: int | None, seat: int | None = None) -> tuple[Move, ...]:
    """Return the legal moves of `seat`, with `funds` left in its wallet.

    `funds` of None means that no move is refused for funds: points tables, and checks of the rules alone. The default
    `seat` is the first one to act.
    """
    if seat is None:
        seat = next(iter(seats_to_act(state)), 0)
    phase = state.phase
    if phase is PLAYERS:
        return _playing_moves(state, seat, funds)
    if phase is QUESTION:
        return _question_moves(state, seat, funds)
    return _DEALER_MOVES if phase is DEALER else ()


def insurance_range(state: RoundState, funds: int | None, seat: int = 0) -> range:
    """Return the legal stakes of insurance of `seat` in smallest units; empty if there are none."""
    asked = state.seats[seat]
    if state.phase is not QUESTION or not asked.is_asked or state.upcard.value != ACE_VALUE:
        return range(0)
    # There is no half of a unit, so a stake of one unit cannot be insured.
    half = asked.hands[0].stake // 2
    match state.rules.insurance:
        case Insurance.OFF:
            return range(0)
        case Insurance.EXACT_HALF:
            stakes = range(half, half + 1) if half else range(0)
        case Insurance.UP_TO_HALF:
            stakes = range(1, half + 1)
    return stakes if funds is None else range(stakes.start, min(stakes.stop, funds + 1))


def action_cost(state: RoundState, action: Action) -> int:
    """Return the stake that a legal `action` adds, in smallest units."""
    match action.move:
        case Move.INSURE:
            return action.insurance
        case Move.DOUBLE | Move.SPLIT:
            return playing_hand(state, action.seat).stake
        case Move.DECLINE | Move.HIT | Move.STAND | Move.SURRENDER | Move.DEALER_HIT:
            return 0


def playing_hand(state: RoundState, seat: int) -> HandState:
    """Return the hand that `seat` plays next. Raises IllegalAction if there is none."""
    index = open_hand_index(state.seats[seat])
    if index is None:
        raise IllegalAction(f"seat {seat} has no hand to play")
    return state.seats[seat].hands[index]


def may_split(rules: BlackjackRules, seat: SeatState, hand: HandState) -> bool:
    """Return whether the rules allow a split of the hand; the limit counts the seat's splits of this round."""
    if rules.simple or not is_pair(hand.cards):
        return False
    limit = rules.split_ace if hand.cards[0].value == ACE_VALUE else rules.split_non_ace
    return len(seat.hands) <= limit


def is_finished_split_ace(rules: BlackjackRules, hand: HandState) -> bool:
    """Return whether the hand is a split ace that has its one card."""
    return hand.is_split and not rules.hit_split_ace and hand.cards[0].value == ACE_VALUE


def asks_early_surrender(rules: BlackjackRules, upcard_value: int) -> bool:
    """Return whether surrender is offered before the peek with this upcard."""
    if rules.simple or upcard_value not in (ACE_VALUE, TEN_VALUE):
        return False
    match rules.surrender:
        case Surrender.EARLY:
            return True
        case Surrender.EARLY_NOT_ACE:
            return upcard_value == TEN_VALUE
        case Surrender.LATE | Surrender.OFF:
            return False


def _question_moves(state: RoundState, seat: int, funds: int | None) -> tuple[Move, ...]:
    if seat not in seats_to_act(state):
        return ()
    moves = [DECLINE]
    if insurance_range(state, funds, seat):
        moves.append(INSURE)
    is_natural = state.seats[seat].hands[0].status is NATURAL
    if not is_natural and asks_early_surrender(state.rules, state.upcard.value):
        moves.append(SURRENDER)
    return tuple(moves)


def _playing_moves(state: RoundState, seat_index: int, funds: int | None) -> tuple[Move, ...]:
    index = hand_to_act(state, seat_index)
    if index is None:
        return ()
    rules = state.rules
    if rules.simple:
        return _HIT_OR_STAND
    seat = state.seats[seat_index]
    hand = seat.hands[index]
    can_surrender = _may_surrender(rules, hand, state.dealer[0].value)
    if len(hand.cards) > 2:
        return _MOVES[False, False, can_surrender]
    can_pay = funds is None or funds >= hand.stake
    can_split = can_pay and may_split(rules, seat, hand)
    if is_finished_split_ace(rules, hand):
        return _SPLIT_OR_STAND if can_split else _STAND
    return _MOVES[can_pay and _may_double(rules, hand), can_split, can_surrender]


def _may_double(rules: BlackjackRules, hand: HandState) -> bool:
    if hand.is_split and not rules.double_after_split:
        return False
    if rules.double is _ANY:
        return True
    # The value of a soft hand of two cards is 12 or more, so neither range holds one.
    lowest = 9 if rules.double is DoubleOn.NINE_TO_ELEVEN else 10
    return lowest <= hand_value(hand.cards) <= 11


def _may_surrender(rules: BlackjackRules, hand: HandState, upcard_value: int) -> bool:
    if rules.surrender is _OFF:
        return False
    is_hit = len(hand.cards) > 2
    if is_hit and not rules.surrender_after_hit:
        return False
    if hand.is_split:
        return rules.surrender_after_split
    # If the question offered it, that was the hand's first decision.
    return is_hit or not asks_early_surrender(rules, upcard_value)


_ANY: Final = DoubleOn.ANY
_OFF: Final = Surrender.OFF
_DEALER_MOVES: Final = (DEALER_HIT,)
_HIT_OR_STAND: Final = (HIT, STAND)
_SPLIT_OR_STAND: Final = (SPLIT, STAND)
_STAND: Final = (STAND,)
_MOVES: Final = {
    (double, split, surrender): (
        *_HIT_OR_STAND,
        *((DOUBLE,) if double else ()),
        *((SPLIT,) if split else ()),
        *((SURRENDER,) if surrender else ()),
    )
    for double in (False, True)
    for split in (False, True)
    for surrender in (False, True)
}
