"""The transitions of a table: it opens or closes, a seat joins, leaves or acts, a deadline is due. Pure.

Each one is `(game, state, context, …) -> TableChange`. Each but the creation and the opening of a table first carries
out the deadlines up to `context.now` (`_begun`), so that an action never overtakes a deadline.
"""

import re
from typing import Final, TypeVar

import msgspec

from apps.rounds.table_game import ActionRefusalCode, SeatAction, TableGame, TableRefusal
from apps.tables.engine.draft import TableDraft
from apps.tables.engine.rounds import (
    chain_begin,
    pause_end,
    round_end,
    seat_free,
    state_send,
    table_shut,
    window_events,
    window_open,
)
from apps.tables.engine.state import (
    ActionRefusal,
    Ending,
    EventAudience,
    GameplayEvent,
    Json,
    TableChainState,
    TableChange,
    TableContext,
    TablePhase,
    TableSeatState,
    TableState,
)
from apps.tables.engine.turns import (
    action_do,
    default_actions_do,
    open_request,
    request_event,
    window_close_and_go_on,
    window_close_if_ready,
)
from apps.tables.engine.view import history_payload, public_state

S = TypeVar("S")

CONTRIBUTION: Final = re.compile("[0-9a-f]{32}")


class JoinRefused(Exception):
    """The refusal of a seat; `code` is the code of the REST error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def table_new(game: TableGame[S], context: TableContext) -> TableChange[S]:
    """Return a table that waits for its first player, with its first chain."""
    nothing = TableChainState(id="", commitment="", length=0, first_round=0, last_revealed="")
    draft = TableDraft(game, context, TableState(phase=TablePhase.WAITING, chain=nothing))
    chain_begin(draft, 1)
    return draft.change()


def table_open(game: TableGame[S], state: TableState[S], context: TableContext) -> TableChange[S]:
    """Open a closed table again; one that is about to close stays open."""
    draft = TableDraft(game, context, state)
    if state.phase is TablePhase.CLOSED:
        draft.put(phase=TablePhase.WAITING)
        state_send(draft)
    elif state.is_closing:
        draft.put(is_closing=False)
        state_send(draft)
    return draft.change()


def table_close(game: TableGame[S], state: TableState[S], context: TableContext) -> TableChange[S]:
    """Close a table: at once, with refunds of an open window's stakes, or after the dealt round and its pause, in which
    the players see the result."""
    draft = _begun(game, state, context)
    match draft.state.phase:
        case TablePhase.WAITING:
            table_shut(draft)
        case TablePhase.BETTING:
            draft.put(is_closing=True)
            round_end(draft, Ending.VOIDED)
            _due_do(draft)
        case TablePhase.PLAYING | TablePhase.PAUSE:
            if not draft.state.is_closing:
                draft.put(is_closing=True)
                state_send(draft)
        case TablePhase.CLOSED:
            pass
    return draft.change()


def running_round_void(game: TableGame[S], state: TableState[S], context: TableContext) -> TableChange[S]:
    """Give back all stakes of the running round and end it; without a running round nothing happens."""
    draft = _begun(game, state, context)
    if draft.state.phase in (TablePhase.BETTING, TablePhase.PLAYING):
        round_end(draft, Ending.VOIDED)
        _due_do(draft)
    return draft.change()


def seat_join(
    game: TableGame[S],
    state: TableState[S],
    context: TableContext,
    *,
    player: str,
    player_id: str,
    name: str,
    seat: int | None = None,
    contribution: str = "",
    is_bot: bool = False,
    has_socket: bool = True,
) -> TableChange[S]:
    """Take the given seat or the first free one; for a player who sits there, replace the contribution.

    Raises JoinRefused: TABLE_NOT_FOUND for a closed table and for a new seat at one that is about to close, TABLE_FULL,
    SEAT_TAKEN, CONTRIBUTION_REQUIRED.
    """
    draft = _begun(game, state, context)
    _contribution_check(draft, contribution)
    own = draft.state.seat_of(player)
    if own is not None:
        draft.seat_put(own.seat, contribution=contribution or own.contribution, is_leaving=False)
        shown = public_state(game, draft.state, own.seat)
        live = history_payload(game, draft.state)
        draft.say("game_state_update", {"payload": shown}, audience=EventAudience.SEAT, seat=own.seat, live=live)
        draft.events += _pending_events(draft, own.seat)  # the player may call from a new session
        return draft.change()
    if draft.state.is_closing:
        raise JoinRefused("TABLE_NOT_FOUND", "the table closes after its round")
    number = _seat_chosen(draft, seat)
    is_betting = draft.state.phase is TablePhase.BETTING
    # The client seed of an open window is fixed. If every seat must contribute to it, a new seat waits for the next.
    is_late = is_betting and draft.round.terms.contribution_required
    taken = TableSeatState(
        seat=number,
        player=player,
        player_id=player_id,
        name=name,
        is_bot=is_bot,
        contribution=contribution,
        is_in_window=is_betting and not is_late,
        idle_windows=-1 if is_late else 0,
        drop_deadline=None if has_socket or is_bot else context.now + context.drop_ms,
    )
    draft.put(seats=tuple(sorted([*draft.state.seats, taken], key=lambda one: one.seat)))
    if draft.state.phase is TablePhase.WAITING:
        window_open(draft)
        return draft.change()
    state_send(draft)
    if is_betting and taken.is_in_window:
        draft.events += window_events(draft, again_for=number)
    return draft.change()


def seat_leave(game: TableGame[S], state: TableState[S], context: TableContext, *, player: str) -> TableChange[S]:
    """Leave the seat: at once without an open stake, else after its round, which default actions play to the end."""
    draft = _begun(game, state, context)
    seat = draft.state.seat_of(player)
    if seat is not None:
        _seat_left(draft, seat, "left")
        _due_do(draft)
    return draft.change()


def seat_drop(game: TableGame[S], state: TableState[S], context: TableContext, *, player: str) -> TableChange[S]:
    """Note that the player's last socket is closed. The seat is freed after `context.drop_ms` unless a socket is
    back."""
    draft = _begun(game, state, context)
    seat = draft.state.seat_of(player)
    if seat is not None and seat.drop_deadline is None and not seat.is_bot:
        draft.seat_put(seat.seat, drop_deadline=context.now + context.drop_ms)
    return draft.change()


def seat_back(game: TableGame[S], state: TableState[S], context: TableContext, *, player: str) -> TableChange[S]:
    """Note that the player has a socket again."""
    draft = _begun(game, state, context)
    seat = draft.state.seat_of(player)
    if seat is not None and seat.drop_deadline is not None:
        draft.seat_put(seat.seat, drop_deadline=None)
    return draft.change()


def action_submit(
    game: TableGame[S], state: TableState[S], context: TableContext, *, player: str, action: SeatAction
) -> TableChange[S]:
    """Carry out an action of a player (`game.action_read`), or return the reason in `refusal`.

    A decision that is refused leaves the turn open until its first deadline, and the request is sent again.
    """
    draft = _begun(game, state, context)
    seat = draft.state.seat_of(player)
    try:
        if seat is None:
            raise TableRefusal(ActionRefusalCode.NOT_YOUR_TURN, "you have no seat at this table")
        action_do(draft, seat, action)
        _due_do(draft)
    except TableRefusal as refused:
        return action_refuse(draft, seat, refused)
    return draft.change()


def action_refused(
    game: TableGame[S], state: TableState[S], context: TableContext, *, player: str, refused: TableRefusal
) -> TableChange[S]:
    """Answer an action that `game.action_read` has refused, in the same way as `action_submit`."""
    draft = _begun(game, state, context)
    return action_refuse(draft, draft.state.seat_of(player), refused)


def action_refuse(draft: TableDraft[S], seat: TableSeatState | None, refused: TableRefusal) -> TableChange[S]:
    """Return the refusal, and repeat the seat's open request."""
    request = None if seat is None else open_request(draft, seat.seat)
    if request is not None:
        draft.events.append(request_event(draft, request, is_first=False))
    return msgspec.structs.replace(draft.change(), refusal=ActionRefusal(refused.code, refused.message))


def deadline_pass(game: TableGame[S], state: TableState[S], context: TableContext) -> TableChange[S]:
    """Carry out the due deadlines."""
    return _begun(game, state, context).change()


def state_view(game: TableGame[S], state: TableState[S], seat: int | None = None) -> Json:
    """Return the public state with road maps. With a seat, it has that seat's own bets while bets are hidden."""
    return public_state(game, state, seat) | history_payload(game, state)


def pending_again(
    game: TableGame[S], state: TableState[S], context: TableContext, seat: int | None
) -> tuple[GameplayEvent, ...]:
    """Return the open request of a seat or the open window, with the time left, for a session that has just entered."""
    return tuple(_pending_events(TableDraft(game, context, state), seat))


def _pending_events(draft: TableDraft[S], seat: int | None) -> list[GameplayEvent]:
    if draft.state.phase is TablePhase.BETTING:
        return window_events(draft, again_for=seat or 0)
    request = None if seat is None else open_request(draft, seat)
    return [] if request is None else [request_event(draft, request, is_first=False)]


def _begun(game: TableGame[S], state: TableState[S], context: TableContext) -> TableDraft[S]:
    draft = TableDraft(game, context, state)
    _due_do(draft)
    return draft


def _due_do(draft: TableDraft[S]) -> None:
    """Carry out all due deadlines in order."""
    now = draft.context.now
    while True:
        state = draft.state
        gone = next(
            (seat for seat in state.seats if seat.drop_deadline is not None and seat.drop_deadline <= now), None
        )
        late = [request.seat for request in state.requests if request.answer is None and request.deadline <= now]
        if gone is not None:
            _seat_left(draft, gone, "dropped")
        elif late:
            default_actions_do(draft, late)
        elif state.phase_deadline is not None and state.phase_deadline <= now:
            if state.phase is TablePhase.BETTING:
                window_close_and_go_on(draft)
            else:
                pause_end(draft)
        else:
            return


def _seat_left(draft: TableDraft[S], seat: TableSeatState, reason: str) -> None:
    has_stake = bool(seat.bets) and draft.state.phase in (TablePhase.BETTING, TablePhase.PLAYING)
    if not has_stake:
        seat_free(draft, seat, reason)
        state_send(draft)
    else:
        draft.seat_put(seat.seat, is_leaving=True, drop_deadline=None)
        if draft.state.phase is TablePhase.PLAYING:
            default_actions_do(draft, [seat.seat])
    window_close_if_ready(draft)


def _contribution_check(draft: TableDraft[S], contribution: str) -> None:
    if draft.state.phase is TablePhase.CLOSED:
        raise JoinRefused("TABLE_NOT_FOUND", "the table is closed")
    if contribution and not CONTRIBUTION.fullmatch(contribution):
        raise JoinRefused("CONTRIBUTION_REQUIRED", "clientSeed: 32 lower-case hexadecimal characters are expected")
    if draft.context.terms.contribution_required and not contribution:
        raise JoinRefused("CONTRIBUTION_REQUIRED", "clientSeed: this table plays for real money, and needs one")


def _seat_chosen(draft: TableDraft[S], wanted: int | None) -> int:
    seats = draft.context.terms.seats
    taken = {seat.seat for seat in draft.state.seats}
    free = [number for number in range(1, seats + 1) if number not in taken]
    if not free:
        raise JoinRefused("TABLE_FULL", f"all {seats} seats are taken")
    if wanted is None:
        return free[0]
    if wanted not in free:
        raise JoinRefused("SEAT_TAKEN", f"seat: {wanted} is not free; {', '.join(map(str, free))} are")
    return wanted
