"""The statements of sessions at the tables, which run on the event loop (migrations/0002_sessions.sql)."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.conf import settings

from apps.core.errors import SessionTakenOver
from apps.core.postgres_pool import Executor, pool
from apps.tables.errors import AuthExpired
from apps.tables.store import MessageUsed
from apps.tables.table_snapshot import Caller

ENDED_AT_ONCE: Final = 50
"""The most sessions that one statement ends."""


class HeldSession(NamedTuple):
    """A session at the time when a socket took it. The other fields count only if `outcome` is `held`."""

    outcome: str
    id: int
    player_id: int
    session_id: Any
    public_id: Any
    partner_id: int
    currency: str
    decimals: int
    allowed_games: list[str]
    max_stake: Decimal | None
    expires_ms: int
    now_ms: int
    sequence: int
    """The last sequence number that was reserved before this socket's block."""
    changes: int
    was_dropped: bool


class Membership(NamedTuple):
    """A table that a session follows."""

    table_id: str
    game_type: str
    seat: int | None
    """The seat that the session acts for; None without one."""


async def session_hold(
    *, token_hash: str, session_id: str | None, message_id: str, socket: str, server: str, block: int
) -> HeldSession:
    """Give the session of a token to a socket, with `block` sequence numbers. Raises Unavailable."""
    item = {
        "token_hash": token_hash,
        "session": session_id,
        "message": message_id,
        "socket": socket,
        "server": server,
        "block": block,
        "drop_ms": settings.PUNTO_TABLE_DROP_S * 1000,
        "idle_ms": settings.PUNTO_TABLE_IDLE_S * 1000,
    }
    row = await pool().query(_HOLD, item)
    assert row is not None
    return HeldSession._make(row)


async def session_release(*, session_id: int, socket: str) -> list[str]:
    """Store that the socket is closed. Return the tables where its session sits; none if another socket holds the
    session."""
    if not await pool().fetch(_RELEASE, session_id, socket):
        return []
    return await seated_at(session_id)


async def seated_at(session_id: int) -> list[str]:
    """Return the tables where the session acts for a seat. Raises Unavailable."""
    return [str(table_id) for (table_id,) in await pool().fetch(_SEATED_AT, session_id)]


async def memberships_load(session_id: int) -> list[Membership]:
    """Return the tables that the session follows. Raises Unavailable."""
    rows = await pool().fetch(_MEMBERSHIPS, session_id)
    return [Membership(str(table_id), game_type, seat) for table_id, game_type, seat in rows]


async def session_extend(*, session_id: int, socket: str) -> int:
    """Extend the session to its full time from now, and return its end. Raises AuthExpired, Unavailable."""
    rows = await pool().fetch(_EXTEND, session_id, socket, settings.PUNTO_TABLE_SESSION_S)
    if not rows:
        raise AuthExpired("the session is over, or open on another connection")
    return int(rows[0][0])


async def sequence_block_take(*, session_id: int, socket: str, block: int) -> bool:
    """Reserve a further block of sequence numbers; False: another socket has the session. Raises Unavailable."""
    return bool(await pool().fetch(_BLOCK, session_id, socket, block))


async def balance_load(session_id: int) -> tuple[Decimal, Decimal]:
    """Return the player's available balance, and the stakes of open rounds. Raises Unavailable."""
    row = await pool().query(_BALANCES, {"session": session_id})
    assert row is not None
    return row[0], row[1]


async def message_take(executor: Executor, caller: Caller) -> None:
    """Store a message's id as used. Raises AuthExpired, SessionTakenOver, MessageUsed, Unavailable."""
    item = {"session": caller.session_id, "socket": caller.socket, "message": caller.message_id}
    row = await executor.query(_TAKE, item)
    assert row is not None
    is_live, is_held, is_new = row
    caller_check(is_live=bool(is_live), is_held=bool(is_held), is_used=not is_new)


async def messages_take(session_id: int, message_ids: Sequence[str]) -> None:
    """Store that a session has used the ids of refused messages. Raises Unavailable."""
    await pool().fetch(_TAKE_MANY, session_id, list(message_ids))


def caller_check(*, is_live: bool, is_held: bool, is_used: bool) -> None:
    """Raise AuthExpired, SessionTakenOver or MessageUsed if a message must not be carried out."""
    if not is_live:
        raise AuthExpired("the session is over")
    if not is_held:
        raise SessionTakenOver("taken over: the session is open on another connection")
    if is_used:
        raise MessageUsed("this messageId was used before")


async def sessions_look(sockets: Mapping[int, str]) -> list[tuple[int, int, bool, bool]]:
    """Return for each session its id, its number of changes, whether it is valid, and whether the socket holds it."""
    rows = await pool().fetch(_LOOK, list(sockets), list(sockets.values()))
    return [(row[0], row[1], row[2], row[3]) for row in rows]


async def session_retake(*, session_id: int, socket: str, server: str) -> bool:
    """Return the session to a socket whose process was considered dead. False: the session is over or has another
    socket."""
    return bool(await pool().fetch(_RETAKE, session_id, socket, server))


async def session_end(session_id: int) -> None:
    """End a session. Raises Unavailable."""
    await pool().fetch(_END, session_id)


async def server_seen(server: str, *, active: Collection[int]) -> None:
    """Store that this process is alive, and its sessions with recent messages. Raises Unavailable."""
    await pool().fetch(_SEEN, server)
    if active:
        await pool().fetch(_ACTIVE, list(active))


async def sessions_drop_lost(*, dead_after_s: int) -> list[tuple[int, int]]:
    """Mark the sessions of dead processes as without a socket; return them with their players' ids."""
    return [(row[0], row[1]) for row in await pool().fetch(_DROP_LOST, dead_after_s)]


async def sessions_end_lapsed(*, idle_slack_s: int) -> None:
    """End the sessions that are past their time, or have been silent or without a socket for too long.

    The process that holds the socket ends a silent session itself; this one waits `idle_slack_s` longer. After an
    outage there are many such sessions. So each statement ends a few, and its work stays if a later one fails.
    """
    idle_s = settings.PUNTO_TABLE_IDLE_S + idle_slack_s
    while len(await pool().fetch(_END_LAPSED, settings.PUNTO_TABLE_DROP_S, idle_s, ENDED_AT_ONCE)) == ENDED_AT_ONCE:
        pass


async def sessions_ended_seated() -> list[int]:
    """Return the sessions that have ended and still have a seat. Raises Unavailable."""
    return [session_id for (session_id,) in await pool().fetch(_ENDED_SEATED)]


_HOLD: Final = "SELECT * FROM table_sessions_hold($1)"
_TAKE: Final = "SELECT * FROM table_messages_take($1)"
_TAKE_MANY: Final = """
    INSERT INTO table_message (session_id, message_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING
"""
_BALANCES: Final = "SELECT * FROM table_balances_load($1)"
_RELEASE: Final = """
    UPDATE table_session SET socket = '', server_id = NULL, dropped_at = clock_timestamp()
     WHERE id = $1 AND socket = $2 RETURNING id
"""
_SEATED_AT: Final = "SELECT table_id FROM table_seat WHERE session_id = $1"
_MEMBERSHIPS: Final = """
    SELECT game_table.id, game_table.game_type, seat.seat
      FROM table_member AS member
      JOIN game_table ON game_table.id = member.table_id
      LEFT JOIN table_seat AS seat ON seat.table_id = member.table_id AND seat.session_id = member.session_id
     WHERE member.session_id = $1 ORDER BY member.id
"""
_EXTEND: Final = """
    UPDATE table_session SET expires_at = clock_timestamp() + $3::integer * interval '1 second'
     WHERE id = $1 AND socket = $2 AND ended_at IS NULL AND expires_at > clock_timestamp()
    RETURNING (extract(epoch FROM expires_at) * 1000)::bigint
"""
_BLOCK: Final = "UPDATE table_session SET sequence = sequence + $3 WHERE id = $1 AND socket = $2 RETURNING id"
_LOOK: Final = """
    SELECT session.id, session.changes, session.ended_at IS NULL AND session.expires_at > clock_timestamp()
           AND origin.ended_at IS NULL, session.socket = held.socket
      FROM unnest($1::bigint[], $2::text[]) AS held (id, socket)
      JOIN table_session AS session ON session.id = held.id
      LEFT JOIN game_session AS origin ON origin.id = session.game_session_id
"""
_RETAKE: Final = """
    UPDATE table_session SET socket = $2, server_id = $3, dropped_at = NULL
     WHERE id = $1 AND socket = '' AND ended_at IS NULL AND expires_at > clock_timestamp() RETURNING id
"""
_END: Final = """
    UPDATE table_session SET ended_at = clock_timestamp(), changes = changes + 1 WHERE id = $1 AND ended_at IS NULL
"""
_SEEN: Final = """
    INSERT INTO table_server (id, seen_at) VALUES ($1, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at
"""
_ACTIVE: Final = "UPDATE table_session SET active_at = clock_timestamp() WHERE id = ANY($1::bigint[])"
_DROP_LOST: Final = """
    UPDATE table_session SET socket = '', server_id = NULL, dropped_at = server.seen_at
      FROM table_server AS server
     WHERE server.id = table_session.server_id AND table_session.ended_at IS NULL
       AND server.seen_at < clock_timestamp() - $1::integer * interval '1 second'
    RETURNING table_session.id, table_session.player_id
"""
_END_LAPSED: Final = """
    UPDATE table_session SET ended_at = clock_timestamp(), changes = changes + 1
     WHERE id IN (
         SELECT id FROM table_session
          WHERE ended_at IS NULL
            AND (expires_at <= clock_timestamp() OR dropped_at <= clock_timestamp() - $1::integer * interval '1 second'
                 OR server_id IS NOT NULL AND active_at <= clock_timestamp() - $2::integer * interval '1 second')
          LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id
"""
_ENDED_SEATED: Final = """
    SELECT DISTINCT session.id FROM table_seat AS seat JOIN table_session AS session ON session.id = seat.session_id
     WHERE session.ended_at IS NOT NULL
"""
