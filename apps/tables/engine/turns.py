"""Bets of an open window, decisions of a round, and default actions after a time-out. Pure.

The default action itself is `default_action` of the game's table (`TableGame`, apps/rounds/table_game.py).
"""

from typing import TypeVar

import msgspec

from apps.core.money import MAX_AMOUNT, payout_too_large
from apps.rounds.table_game import (
    CLEAR_BETS,
    NO_BET,
    PLACE_BET,
    READY,
    WINDOW_ACTIONS,
    ActionRefusalCode,
    Bets,
    SeatAction,
    TableRefusal,
)
from apps.tables.engine.draft import TableDraft
from apps.tables.engine.rounds import action_send, round_end, window_close
from apps.tables.engine.state import (
    STAKES_BLOCKED,
    Ending,
    EventAudience,
    GameplayEvent,
    Json,
    MoveKind,
    OpenRequest,
    TablePhase,
    TableSeatState,
)
from apps.tables.engine.view import public_state, seconds

S = TypeVar("S")


def action_do(draft: TableDraft[S], seat: TableSeatState, action: SeatAction) -> None:
    """Carry out an action of a seat. Raises TableRefusal before any change."""
    if action.name in WINDOW_ACTIONS:
        _window_action_do(draft, seat, action)
    else:
        _decision_do(draft, seat, action)


def window_close_if_ready(draft: TableDraft[S]) -> None:
    """Close the window if every seat that may stake is ready."""
    if draft.state.phase is not TablePhase.BETTING:
        return
    waited_for = [seat for seat in draft.state.seats if seat.is_in_window and not seat.is_leaving]
    if all(seat.is_ready for seat in waited_for):
        window_close_and_go_on(draft)


def window_close_and_go_on(draft: TableDraft[S]) -> None:
    """Close the window, and play the round until a seat has to decide."""
    if window_close(draft):
        round_go_on(draft)


def round_go_on(draft: TableDraft[S]) -> None:
    """Send requests to the seats that must decide next, or end the round if there are none."""
    game = draft.game
    while not game.is_over(draft.play):
        if game.is_collected(draft.play):
            if not draft.state.requests:
                _requests_open(draft, [draft.round.seats[place] for place in game.waits_for(draft.play)])
            if any(request.answer is None for request in draft.state.requests):
                return
            _answers_apply(draft)
            continue
        place = game.waits_for(draft.play)[0]
        seat = draft.seat(draft.round.seats[place])
        if not seat.is_leaving:
            if not draft.state.requests:
                _requests_open(draft, [seat.seat])
            return
        draft.put(requests=())
        _decision_apply(draft, seat, game.default_action(draft.play, place), timeout=True)
    round_end(draft, Ending.SETTLED)


def default_actions_do(draft: TableDraft[S], numbers: list[int]) -> None:
    """Do the default action for seats that timed out or whose player has left."""
    game = draft.game
    open_for = [request.seat for request in draft.state.requests if request.answer is None and request.seat in numbers]
    for number in open_for:
        seat = draft.seat(number)
        action = game.default_action(draft.play, draft.round.seats.index(number))
        if not seat.is_leaving:
            draft.seat_put(number, timed_out=True)
        if game.is_collected(draft.play):
            _answer_put(draft, number, action, timeout=True)
        else:
            draft.put(requests=())
            _decision_apply(draft, seat, action, timeout=True)
    if open_for:
        round_go_on(draft)


def request_event(
    draft: TableDraft[S], request: OpenRequest, *, is_first: bool, shown: Json | None = None
) -> GameplayEvent:
    """Return `game_action_request` for an open request. A repeated one names the first in `repeats`. `shown` is the
    public state, if it was already computed for another seat.
    """
    running = draft.round
    seat = draft.seat(request.seat)
    place = running.seats.index(request.seat)
    payload: Json = {
        **(shown or public_state(draft.game, draft.state)),
        **draft.game.request_view(running.terms, draft.play, place, draft.seat_funds(seat)),
    }
    fields: Json = {"timeoutSeconds": seconds(request.deadline - draft.context.now), "payload": payload}
    event_id = request.id
    if not is_first:
        event_id = draft.context.id_new()
        fields["repeats"] = request.id
    return GameplayEvent(
        id=event_id, type="game_action_request", audience=EventAudience.SEAT, seat=request.seat, fields=fields
    )


def open_request(draft: TableDraft[S], seat: int) -> OpenRequest | None:
    """Return the request that a seat has not answered yet."""
    return next((item for item in draft.state.requests if item.seat == seat and item.answer is None), None)


def _window_action_do(draft: TableDraft[S], seat: TableSeatState, action: SeatAction) -> None:
    if draft.state.phase is not TablePhase.BETTING:
        raise TableRefusal(ActionRefusalCode.BETTING_WINDOW_CLOSED, "no betting window is open")
    if seat.is_leaving or not seat.is_in_window:
        is_late = bool(seat.contribution) and not seat.is_leaving
        way_back = "its clientSeed counts from the next window on" if is_late else "join with a clientSeed"
        raise TableRefusal(ActionRefusalCode.BETTING_WINDOW_CLOSED, f"this seat sits the round out: {way_back}")
    if action.name == NO_BET:
        return
    if action.name == READY:
        if not seat.is_ready:
            seat = draft.seat_put(seat.seat, is_ready=True)
            draft.log(seat.seat, action, timeout=False)
            action_send(draft, seat, action, timeout=False)
            window_close_if_ready(draft)
        return
    bets: Bets = {}
    if action.name == PLACE_BET:
        bets = draft.game.bets_after(draft.round.terms, seat.bets, action, draft.seat_funds(seat))
    assert action.name in (PLACE_BET, CLEAR_BETS)
    _bets_put(draft, seat, bets)
    draft.log(seat.seat, action, timeout=False)
    action_send(draft, draft.seat(seat.seat), action, timeout=False)


def _bets_put(draft: TableDraft[S], seat: TableSeatState, bets: Bets) -> None:
    """Book the difference between a seat's old and new stakes."""
    total = sum(bets.values())
    more = total - sum(seat.bets.values())
    funds = draft.seat_funds(seat)
    if funds.stake_limit is not None and more > 0 and total > funds.stake_limit:
        most = draft.round.terms.amount(funds.stake_limit)
        raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, f"amount: all bets together may come to {most} a round")
    _funds_check(draft, seat, more, funds.balance)
    if more > 0 and funds.balance is not None:
        _payout_check(draft, bets, funds.balance)
    draft.move(seat, MoveKind.BET if more > 0 else MoveKind.REFUND, abs(more))
    draft.seat_put(seat.seat, bets=bets, is_ready=False)


def _funds_check(draft: TableDraft[S], seat: TableSeatState, cost: int, funds: int | None) -> None:
    if funds is not None and cost > max(funds, 0):
        if seat.seat in draft.context.blocked:
            raise TableRefusal(ActionRefusalCode.PLAYER_BLOCKED, STAKES_BLOCKED)
        amount, held = draft.round.terms.amount(cost), draft.round.terms.amount(funds)
        raise TableRefusal(
            ActionRefusalCode.INSUFFICIENT_BALANCE, f"amount: {amount} more is needed, and the wallet has {held}"
        )


def _payout_check(draft: TableDraft[S], bets: Bets, funds: int) -> None:
    """Refuse stakes whose payout the wallet may not hold: without it the round could not be paid, for no seat."""
    terms = draft.round.terms
    if funds + draft.game.highest_payout(terms, bets) > MAX_AMOUNT.scaleb(terms.decimals):
        raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, f"amount: {payout_too_large(terms.amount(funds), '')}")


def _decision_do(draft: TableDraft[S], seat: TableSeatState, action: SeatAction) -> None:
    if draft.state.phase is TablePhase.PAUSE:
        raise TableRefusal(ActionRefusalCode.ROUND_COMPLETE, "the round is over")
    if open_request(draft, seat.seat) is None:
        if seat.timed_out:
            raise TableRefusal(ActionRefusalCode.TIMEOUT, "the time is over, and the default action was taken")
        raise TableRefusal(ActionRefusalCode.NOT_YOUR_TURN, "no decision is waited for from this seat")
    game, terms = draft.game, draft.round.terms
    place = draft.round.seats.index(seat.seat)
    funds = draft.seat_funds(seat)
    action = game.action_full(terms, draft.play, place, action)
    cost = game.action_cost(terms, draft.play, place, action)
    _funds_check(draft, seat, cost, funds.balance)
    if game.is_collected(draft.play):
        # The money is taken with the answer, so that no answer can fail when all are carried out.
        _cost_book(draft, seat, cost)
        _answer_put(draft, seat.seat, action, timeout=False)
    else:
        draft.put(requests=())
        _cost_book(draft, seat, cost)
        _decision_apply(draft, draft.seat(seat.seat), action, timeout=False)
    round_go_on(draft)


def _cost_book(draft: TableDraft[S], seat: TableSeatState, cost: int) -> None:
    if cost:
        draft.move(seat, MoveKind.BET, cost)
        draft.seat_put(seat.seat, added=seat.added + cost)


def _decision_apply(draft: TableDraft[S], seat: TableSeatState, action: SeatAction, *, timeout: bool) -> None:
    place = draft.round.seats.index(seat.seat)
    play = draft.game.action_apply(draft.round.terms, draft.play, place, action, draft.shoe())
    draft.round_put(play=play)
    draft.log(seat.seat, action, timeout=timeout)
    action_send(draft, seat, action, timeout=timeout)


def _answer_put(draft: TableDraft[S], seat: int, action: SeatAction, *, timeout: bool) -> None:
    draft.put(
        requests=tuple(
            msgspec.structs.replace(item, answer=action, is_timeout=timeout) if item.seat == seat else item
            for item in draft.state.requests
        )
    )


def _answers_apply(draft: TableDraft[S]) -> None:
    """Carry out all answers in seat order."""
    answers = draft.state.requests
    draft.put(requests=())
    for request in answers:
        assert request.answer is not None
        _decision_apply(draft, draft.seat(request.seat), request.answer, timeout=request.is_timeout)


def _requests_open(draft: TableDraft[S], numbers: list[int]) -> None:
    """Send requests to seats; seats whose players have left get the default action as their answer."""
    deadline = draft.context.now + draft.round.terms.turn_ms
    requests = []
    for number in numbers:
        is_leaving = draft.seat(number).is_leaving
        answer = draft.game.default_action(draft.play, draft.round.seats.index(number)) if is_leaving else None
        requests.append(
            OpenRequest(seat=number, id=draft.context.id_new(), deadline=deadline, answer=answer, is_timeout=is_leaving)
        )
        draft.seat_put(number, timed_out=False)
    draft.put(requests=tuple(requests))
    shown = public_state(draft.game, draft.state)
    draft.events += [
        request_event(draft, request, is_first=True, shown=shown) for request in requests if request.answer is None
    ]
