"""Payouts of hands, and a seat's account of a round. Pure; all amounts are integers in smallest units."""

from typing import assert_never

import msgspec

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.state import (
    BLACKJACK,
    BUST,
    LOSE,
    NATURAL,
    OPEN,
    PUSH,
    STOOD,
    WIN,
    HandState,
    HandStatus,
    SeatState,
)
from apps.blackjack.engine.value import NATURAL_RANK, hand_rank

INSURANCE_RETURNS = 3
"""Insurance pays 2 to 1: the payout is three times the stake."""


class SeatAccount(msgspec.Struct, frozen=True, gc=False):
    """A seat's stakes and payouts so far, including side bets and insurance."""

    staked: int
    paid: int
    """Payouts, including returned stakes."""


def hand_payout(stake: int, status: HandStatus, rules: BlackjackRules) -> int:
    """Return the payout of a hand of `stake` with this status, rounded down to the unit."""
    if status is LOSE or status is BUST:
        return 0
    if status is WIN:
        return 2 * stake
    if status is PUSH:
        return stake
    if status is BLACKJACK:
        pays = rules.blackjack_pays
        return stake + stake * pays.numerator // pays.denominator
    if status is HandStatus.SURRENDER:
        return stake // 2
    if status is OPEN or status is NATURAL or status is STOOD:
        raise ValueError(f"a hand that is {status.value} has no payout yet")
    assert_never(status)


def status_against(hand: HandState, dealer_rank: int) -> HandStatus:
    """Return the final status of a hand that is not bust, against the dealer's `hand_rank`."""
    rank = hand_rank(hand.cards, is_split=hand.is_split)
    if rank < dealer_rank:
        return LOSE
    if rank == dealer_rank:
        return PUSH
    return BLACKJACK if rank == NATURAL_RANK else WIN


def round_payout(seat: SeatState) -> int:
    """Return the seat's payout of the round: that of all its hands, without side bets and insurance."""
    return sum([hand.payout for hand in seat.hands])


def seat_account(seat: SeatState) -> SeatAccount:
    """Return the sums of the seat's stakes and payouts."""
    staked = sum([hand.stake for hand in seat.hands]) + sum([result.stake for result in seat.side_bets])
    paid = round_payout(seat) + sum([result.payout for result in seat.side_bets])
    if seat.insurance is not None:
        staked += seat.insurance.stake
        paid += seat.insurance.payout
    return SeatAccount(staked, paid)
