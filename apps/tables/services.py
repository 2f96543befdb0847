"""The use cases of tables: most are one transition of the engine, written with its money in one transaction.

Lock order: table, wallets by id, rounds (docs/money.md). Staff's use cases are in table_administration.py.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final, NamedTuple

from apps.core.errors import AuthenticationFailed, PlayerBlocked
from apps.core.money import plain
from apps.core.postgres_pool import Transaction, pool
from apps.rounds.table_game import ActionRefusalCode, TableRefusal
from apps.tables.engine.state import STAKES_BLOCKED, ActionRefusal, TableChange, TableContext
from apps.tables.engine.transitions import (
    JoinRefused,
    action_refused,
    action_submit,
    deadline_pass,
    seat_back,
    seat_drop,
    seat_join,
    seat_leave,
    table_close,
)
from apps.tables.errors import (
    AuthExpired,
    ContributionRequired,
    GameNotAllowed,
    InsufficientBalance,
    LimitExceeded,
    SeatTaken,
    TableFull,
    TableNotFound,
)
from apps.tables.event_feed import delivery_publish, session_announce
from apps.tables.store import table_load, table_lock, table_lock_shared, table_save
from apps.tables.table_changes import Answer, table_change, table_context, table_lock_of
from apps.tables.table_snapshot import Caller, Delivery, SeatHolder, SeatTakenBy, TableSnapshot

MAX_MEMBERSHIPS: Final = 50
"""The most tables that one session may sit at and watch."""


async def table_action_take(*, caller: Caller, table_id: str, payload: Mapping[str, Any], answer: Answer) -> None:
    """Carry out one `submit_action` of a session that belongs to the table.

    `answer` is called after the commit and before the events are delivered, with the refusal or None, and with the
    events that are repeated for this player alone. Raises MessageUsed, PayloadInvalid, AuthExpired, SessionTakenOver,
    TableNotFound, Busy: nothing is changed then. Unavailable: the action may have been carried out.
    """
    await table_change(table_id, partial(_action_work, caller, payload), caller=caller, answer=answer)


async def table_deadline_pass(*, table_id: str) -> None:
    """Carry out the due deadlines of a table. Raises Busy, Unavailable."""
    await table_change(
        table_id, lambda snapshot, context: deadline_pass(snapshot.config.game, snapshot.state, context)
    )  # fmt: skip


async def seat_socket_lost(*, table_id: str, player_id: int) -> None:
    """Start the delay after which the player's seat is freed, unless its session has a socket again."""
    await table_change(table_id, partial(_drop_work, player_id))


async def seat_socket_found(*, table_id: str, player_id: int) -> None:
    """Keep the player's seat, because its session has a socket again."""
    player = str(player_id)
    await table_change(
        table_id, lambda snapshot, context: seat_back(snapshot.config.game, snapshot.state, context, player=player)
    )


async def seat_take(*, session_id: int, table_id: str, seat: int | None = None, contribution: str = "") -> int:
    """Seat the session's player at the given seat or the first free one; return the seat, counted from 1.

    A player who already sits there gives a new contribution, and this session acts from now on. Locks the table. Raises
    AuthExpired, TableNotFound, GameNotAllowed, TableFull, SeatTaken, ContributionRequired, PlayerBlocked,
    InsufficientBalance, LimitExceeded.
    """
    async with table_lock_of(table_id):
        async with pool().transaction() as transaction:
            await table_lock(transaction, table_id)
            visitor = await _visitor_load(transaction, session_id)
            snapshot = await table_load(transaction, table_id)
            _visible_check(snapshot, visitor)
            taken, change = _seat_work(snapshot, visitor, seat, contribution)
            delivery = await table_save(transaction, snapshot, change, seats=[taken])
            await _member_add(transaction, table_id, session_id)
            if not visitor.socket:
                await transaction.fetch(_DROP_BEGIN, session_id)
        await delivery_publish(delivery)
    await session_announce(session_id)
    return taken.seat


async def table_watch(*, session_id: int, table_id: str) -> None:
    """Let the session watch the table without a seat. Raises AuthExpired, TableNotFound, GameNotAllowed."""
    async with pool().transaction() as transaction:
        # A page may take a seat meanwhile in the same session. The order of locks makes one of the two wait, so that
        # they do not wait for each other.
        await table_lock_shared(transaction, table_id)
        visitor = await _visitor_load(transaction, session_id)
        snapshot = await table_load(transaction, table_id)
        _visible_check(snapshot, visitor)
        await _member_add(transaction, table_id, session_id)
    await session_announce(session_id)


async def table_leave(*, session_id: int, table_id: str) -> None:
    """Leave the seat, or stop watching; a stake stays. The session gets no more events of the table.

    Raises AuthExpired, TableNotFound (also where the session does not belong to the table).
    """
    async with table_lock_of(table_id):
        async with pool().transaction() as transaction:
            await table_lock(transaction, table_id)
            await _visitor_load(transaction, session_id)
            if not await transaction.fetch(_MEMBER_REMOVE, table_id, session_id):
                raise TableNotFound("there is no such table")
            snapshot = await table_load(transaction, table_id)
            delivery = await _seat_leave(transaction, snapshot, session_id)
            await transaction.fetch(_SESSION_CHANGED, session_id)
        if delivery is not None:
            await delivery_publish(delivery)
    await session_announce(session_id)


async def session_seats_leave(*, session_id: int) -> None:
    """Leave all tables of a session that has ended."""
    for (table_id,) in await pool().fetch(_SEATS_OF_SESSION, session_id):
        async with table_lock_of(str(table_id)):
            async with pool().transaction() as transaction:
                await table_lock(transaction, str(table_id))
                snapshot = await table_load(transaction, str(table_id))
                delivery = await _seat_leave(transaction, snapshot, session_id)
            if delivery is not None:
                await delivery_publish(delivery)


async def table_close_empty(*, table_id: str) -> None:
    """Close a table without seated players; a table with one stays open. Raises Busy, Unavailable."""
    await table_change(
        table_id,
        lambda snapshot, context: (
            TableChange(state=snapshot.state)
            if snapshot.state.seats
            else table_close(snapshot.config.game, snapshot.state, context)
        ),
    )


def _action_work(
    caller: Caller, payload: Mapping[str, Any], snapshot: TableSnapshot, context: TableContext
) -> TableChange[Any]:
    """Return the change that a player's action makes. Raises PayloadInvalid."""
    state, game = snapshot.state, snapshot.config.game
    terms = snapshot.config.terms if state.round is None else state.round.terms
    holder = snapshot.holder_of(caller.session_id)
    if holder is None:
        return TableChange(
            state=state, refusal=ActionRefusal(ActionRefusalCode.NOT_YOUR_TURN, "you have no seat at this table")
        )
    player = str(holder.player_id)
    try:
        action = game.action_read(terms, payload)
    except TableRefusal as error:
        return action_refused(game, state, context, player=player, refused=error)
    return action_submit(game, state, context, player=player, action=action)


def _drop_work(player_id: int, snapshot: TableSnapshot, context: TableContext) -> TableChange[Any]:
    state = snapshot.state
    holder = next((holder for holder in snapshot.holders.values() if holder.player_id == player_id), None)
    if holder is None or holder.has_socket:
        return TableChange(state=state)
    return seat_drop(snapshot.config.game, state, context, player=str(player_id))


class _Visitor(NamedTuple):
    """A session that wants a seat, or to watch."""

    session_id: int
    player_id: int
    partner_id: int
    currency: str
    allowed_games: list[str]
    max_stake: Decimal | None
    socket: str
    is_over: bool
    may_play: bool
    may_stake: bool
    wallet_id: int | None
    balance: Decimal | None
    public_id: Any
    display_name: str
    is_bot: bool


async def _visitor_load(transaction: Transaction, session_id: int) -> _Visitor:
    rows = await transaction.fetch(_VISITOR_SQL, session_id)
    if not rows:
        raise AuthenticationFailed("no such session")
    visitor = _Visitor._make(rows[0])
    if visitor.is_over:
        raise AuthExpired("the session is over")
    return visitor


def _visible_check(snapshot: TableSnapshot, visitor: _Visitor) -> None:
    """Raise TableNotFound for a table of another partner or currency, GameNotAllowed for one of another game."""
    config = snapshot.config
    if config.partner_id != visitor.partner_id or config.currency not in {None, visitor.currency}:
        raise TableNotFound("there is no such table")
    if config.game.game_type not in visitor.allowed_games:
        raise GameNotAllowed(f"this session is not for {config.game.game_type}")


def _seat_work(
    snapshot: TableSnapshot, visitor: _Visitor, seat: int | None, contribution: str
) -> tuple[SeatTakenBy, TableChange[Any]]:
    """Return the seat and the change."""
    config, state = snapshot.config, snapshot.state
    own = state.seat_of(str(visitor.player_id))
    if own is not None:
        if seat not in {None, own.seat}:
            raise SeatTaken(f"you sit at seat {own.seat}: leave it before you take another one")
        seat = own.seat
    elif seat is None:
        taken_seats = {taken.seat for taken in state.seats}
        seat = next((number for number in range(1, config.terms.seats + 1) if number not in taken_seats), None)
    if seat is None:
        raise TableFull("every seat is taken")
    if own is None or not own.bets:
        # Who has staked may come back in another session and play on, also with an empty or blocked wallet.
        _stake_check(snapshot, visitor)
    wallet_id = None if config.terms.is_points else visitor.wallet_id
    holder = SeatHolder(
        seat,
        visitor.player_id,
        visitor.session_id,
        wallet_id,
        visitor.balance,
        visitor.max_stake,
        visitor.may_stake,
        bool(visitor.socket),
    )
    if own is not None or seat not in snapshot.holders:
        snapshot = replace(snapshot, holders={**snapshot.holders, seat: holder})
    try:
        change = seat_join(
            config.game,
            state,
            table_context(snapshot),
            player=str(visitor.player_id),
            player_id=str(visitor.public_id),
            name=visitor.display_name,
            seat=seat,
            contribution=contribution,
            is_bot=visitor.is_bot,
            has_socket=bool(visitor.socket),
        )
    except JoinRefused as error:
        raise _JOIN_ERRORS[error.code](str(error)) from error
    return SeatTakenBy(seat, visitor.player_id, visitor.session_id, wallet_id), change


def _stake_check(snapshot: TableSnapshot, visitor: _Visitor) -> None:
    """Raise PlayerBlocked, InsufficientBalance or LimitExceeded for a player who cannot stake on a single round."""
    config = snapshot.config
    least = config.game.stake_span(config.terms).least * config.quantum
    balance = visitor.balance or Decimal(0)
    if not visitor.may_play or (not config.terms.is_points and not visitor.may_stake):
        raise PlayerBlocked(STAKES_BLOCKED)
    if not config.terms.is_points and balance < least:
        held = f"{plain(balance)} {config.currency}"
        raise InsufficientBalance(f"the wallet holds {held}, and the lowest stake of this table is {plain(least)}")
    if visitor.max_stake is not None and visitor.max_stake < least:
        most = plain(visitor.max_stake)
        raise LimitExceeded(
            f"the session may stake {most} on a round, and the lowest stake of this table is {plain(least)}"
        )


async def _member_add(transaction: Transaction, table_id: str, session_id: int) -> None:
    ((count,),) = await transaction.fetch(_MEMBERSHIPS, session_id, table_id)
    if count >= MAX_MEMBERSHIPS:
        raise LimitExceeded(f"a session sees at most {MAX_MEMBERSHIPS} tables")
    await transaction.fetch(_MEMBER_ADD, table_id, session_id)
    await transaction.fetch(_SESSION_CHANGED, session_id)


async def _seat_leave(transaction: Transaction, snapshot: TableSnapshot, session_id: int) -> Delivery | None:
    holder = snapshot.holder_of(session_id)
    if holder is None:
        return None
    context = table_context(snapshot)
    change = seat_leave(snapshot.config.game, snapshot.state, context, player=str(holder.player_id))
    if change.state is snapshot.state:
        return None
    return await table_save(transaction, snapshot, change)


_JOIN_ERRORS: Final = {
    "TABLE_NOT_FOUND": TableNotFound,
    "TABLE_FULL": TableFull,
    "SEAT_TAKEN": SeatTaken,
    "CONTRIBUTION_REQUIRED": ContributionRequired,
    "INSUFFICIENT_BALANCE": InsufficientBalance,
}
_VISITOR_SQL: Final = """
    SELECT session.id, session.player_id, session.partner_id, session.currency_id, session.allowed_games::text[],
           session.max_stake, session.socket,
           session.ended_at IS NOT NULL OR session.expires_at <= clock_timestamp()
               OR coalesce(origin.ended_at IS NOT NULL, false),
           player.status = 'active' AND partner.active,
           player.status = 'active' AND partner.active AND coalesce(wallet.status = 'active', false),
           wallet.id, wallet.balance, who.public_id, who.display_name, who.is_bot
      FROM table_session AS session
      JOIN player ON player.id = session.player_id
      JOIN partner ON partner.id = session.partner_id
      JOIN table_player AS who ON who.player_id = session.player_id
      LEFT JOIN game_session AS origin ON origin.id = session.game_session_id
      LEFT JOIN wallet ON wallet.player_id = session.player_id AND wallet.currency_id = session.currency_id
     WHERE session.id = $1
"""
_MEMBERSHIPS: Final = "SELECT count(*) FROM table_member WHERE session_id = $1 AND table_id <> $2"
_MEMBER_ADD: Final = "INSERT INTO table_member (table_id, session_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"
_MEMBER_REMOVE: Final = "DELETE FROM table_member WHERE table_id = $1 AND session_id = $2 RETURNING 1"
_SESSION_CHANGED: Final = "UPDATE table_session SET changes = changes + 1 WHERE id = $1"
_DROP_BEGIN: Final = "UPDATE table_session SET dropped_at = coalesce(dropped_at, now()) WHERE id = $1 AND socket = ''"
_SEATS_OF_SESSION: Final = "SELECT table_id FROM table_seat WHERE session_id = $1"
