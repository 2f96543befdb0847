"""The socket's form of a round: the whole round, or what an action has changed (docs/protocol.md).

It is built from the engine's state (engine/state.py). The hole card is not in the state but in the shoe until it is
shown, so nothing here can leak it.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

import msgspec
from msgspec import UNSET

from apps.blackjack.engine.actions import Move, legal_actions
from apps.blackjack.engine.settle import round_payout
from apps.blackjack.engine.side_bets import SideBet
from apps.blackjack.engine.state import (
    HandState,
    InsuranceState,
    InsuranceStatus,
    Phase,
    RoundState,
    SeatState,
    open_hand_index,
)
from apps.blackjack.messages import (
    InsuranceResult,
    PerfectPairsResult,
    PokerResult,
    RoundData,
    WholeRound,
    WireAction,
    WireCard,
    WireDealer,
    WireHand,
)
from apps.cards.card import Card
from apps.core.money import plain

MOVES: Final = {
    WireAction.HIT: Move.HIT,
    WireAction.STAND: Move.STAND,
    WireAction.DOUBLE: Move.DOUBLE,
    WireAction.SPLIT: Move.SPLIT,
    WireAction.SURRENDER: Move.SURRENDER,
}
"""The player's moves; in the dealer's turn a Hit is a DEALER_HIT."""
MOVE_NAMES: Final = {
    **{move: action.value for action, move in MOVES.items()},
    Move.DECLINE: WireAction.PEEK.value,
    Move.INSURE: WireAction.PEEK.value,
    Move.DEALER_HIT: WireAction.HIT.value,
}

STAKE_NAMES: Final = {
    "main": ("betAmount",),
    "perfect_pairs": ("perfecPairsBetAmount", "perfectPairsBetAmount", "perfectPairsAmount"),
    "poker": ("pokerBetAmount",),
}
"""The names of each kind of stake in the `data` of a Bet. The first is the documented one."""


class Funds(msgspec.Struct, frozen=True, gc=False):
    """The player's balance, and the smallest unit, in which the engine counts."""

    balance: Decimal
    quantum: Decimal

    def text(self, units: int) -> str:
        return plain(units * self.quantum)

    @property
    def units(self) -> int:
        """The balance in smallest units."""
        return int(self.balance / self.quantum)


def next_actions(state: RoundState, funds: int) -> list[str]:
    """Return the wire names of the next possible actions, each once."""
    return list(dict.fromkeys(MOVE_NAMES[move] for move in legal_actions(state, funds)))


def update_data(before: RoundState | None, after: RoundState, action: WireAction, funds: Funds) -> RoundData:
    """Return the `data` of a RoundUpdate: the changes between the two states.

    `funds` is the player's balance afterwards.
    """
    seat = after.seats[0]
    data = RoundData(next_actions=next_actions(after, funds.units))
    _phase_fill(data, after, funds)
    shown = after.dealer if before is None else after.dealer[len(before.dealer) :]
    if shown:
        data.dealer_hand = WireDealer(_cards(shown))
    hands = _hands_delta(before.seats[0] if before else None, seat, funds)
    # A Peek's update lists the hands even if they have not changed.
    if action is WireAction.PEEK or any(hand != WireHand() for hand in hands):
        data.player_hands = hands
    if action is WireAction.PEEK:
        data.hand_index = data.hand_index if data.hand_index is not UNSET else 0
    if before is None:
        _side_bets_fill(data, seat, funds)
    if seat.insurance is not None and (before is None or before.seats[0].insurance != seat.insurance):
        data.insurance = _insurance(seat.insurance, funds)
    if after.phase is Phase.SETTLED:
        data.round_ended = True
    return data


def state_data(state: RoundState, *, last_action: str, first_stake: int, funds: Funds) -> WholeRound:
    """Return all that the player may see of the round, without its seeds.

    `first_stake` is the round's bet in smallest units, before any double.
    """
    seat = state.seats[0]
    names = next_actions(state, funds.units)
    playing = open_hand_index(seat) if state.phase in (Phase.PLAYERS, Phase.QUESTION) else None
    hands = [_hand_whole(hand, funds) for hand in seat.hands]
    for index, hand in enumerate(hands):
        hand.next_actions = names if index == playing else []
    insurance = seat.insurance
    data = WholeRound(
        action=last_action,
        next_actions=names,
        bet_amount=funds.text(first_stake),
        dealer_hand=WireDealer(_cards(state.dealer)),
        player_hands=hands,
        accepted_insurance=insurance is not None and insurance.status is not InsuranceStatus.DECLINED,
        insurance_amount=funds.text(insurance.stake if insurance else 0),
        insurance=_insurance(insurance, funds) if insurance else None,
    )
    _phase_fill(data, state, funds)
    _side_bets_fill(data, seat, funds)
    for result in seat.side_bets:
        if result.bet is SideBet.POKER:
            data.poker_bet_amount = funds.text(result.stake)
        else:
            data.perfec_pairs_bet_amount = funds.text(result.stake)
    return data


def _phase_fill(data: RoundData | WholeRound, state: RoundState, funds: Funds) -> None:
    """Fill in whose turn it is, or the end of the round."""
    match state.phase:
        case Phase.DEALER:
            data.hand_owner, data.hand_index = "Dealer", 0
        case Phase.PLAYERS | Phase.QUESTION:
            data.hand_owner = "Player"
            data.hand_index = open_hand_index(state.seats[0]) or 0
        case Phase.SETTLED:
            data.payout = funds.text(round_payout(state.seats[0]))
            data.balance = plain(funds.balance)


def _hands_delta(before: SeatState | None, after: SeatState, funds: Funds) -> list[WireHand]:
    if before is None or len(before.hands) != len(after.hands):
        return [_hand_whole(hand, funds) for hand in after.hands]
    hands = []
    for old, new in zip(before.hands, after.hands, strict=True):
        hand = WireHand()
        fresh = new.cards[len(old.cards) :]
        if fresh:
            hand.cards = _cards(fresh)
        if new.stake != old.stake:
            hand.bet_amount = funds.text(new.stake)
        if new.status.is_final and not old.status.is_final:
            hand.status, hand.payout = new.status.value, funds.text(new.payout)
        hands.append(hand)
    return hands


def _hand_whole(hand: HandState, funds: Funds) -> WireHand:
    return WireHand(
        cards=_cards(hand.cards),
        bet_amount=funds.text(hand.stake),
        is_split=True if hand.is_split else UNSET,
        status=hand.status.value if hand.status.is_final else UNSET,
        payout=funds.text(hand.payout) if hand.status.is_final else UNSET,
    )


def _side_bets_fill(data: RoundData | WholeRound, seat: SeatState, funds: Funds) -> None:
    for result in seat.side_bets:
        payout, status = funds.text(result.payout), result.outcome.value
        match result.bet:
            case SideBet.PERFECT_PAIRS:
                data.perfect_pairs = PerfectPairsResult(payout, status)
            case SideBet.POKER:
                data.poker = PokerResult(payout, status)


def _insurance(insurance: InsuranceState, funds: Funds) -> InsuranceResult:
    return InsuranceResult(funds.text(insurance.payout), insurance.status.value)


def _cards(cards: Iterable[Card]) -> list[WireCard]:
    return [WireCard(card.value, card.suit.value, card.rank) for card in cards]
