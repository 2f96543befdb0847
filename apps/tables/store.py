"""The two statements of a change of a table: one reads the table, the other writes the change.

They are SQL functions: `tables_load` (migrations/0005_batches.sql) and `tables_save` (migrations/0007_event_text.sql).
Nothing is locked in between: the second writes only if the table is still at the version that the first has read. A
process caches tables by version, and PostgreSQL sends the state again only if its version is another.
"""

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from apps.core import json
from apps.core.errors import Conflict, InsufficientFunds, StaleState
from apps.core.postgres_pool import Executor, Transaction
from apps.tables.chain_seeds import chain_seeds
from apps.tables.change_items import ChangeEvents, callers_item, change_events, change_item
from apps.tables.engine.codec import state_from_json
from apps.tables.engine.state import TableChange, TableState
from apps.tables.errors import TableNotFound
from apps.tables.messages import game_body
from apps.tables.table_snapshot import (
    Caller,
    Delivery,
    Notice,
    SeatHolder,
    SeatTakenBy,
    TableConfig,
    TableSnapshot,
    caller_standings_read,
    seat_holders_read,
    table_config_read,
)

MAX_TABLES: Final = 2_000
"""The most tables that a process caches; the least recently changed one is removed first."""
CLOCK_TRUSTED_MS: Final = 60_000
"""Milliseconds for which this process computes PostgreSQL's time from its own clock without reading it again."""


async def table_load(executor: Executor, table_id: str, callers: Sequence[Caller] = ()) -> TableSnapshot:
    """Read a table's present state. Raises TableNotFound, Unavailable."""
    known = _known.get(table_id)
    item: dict[str, object] = {
        "table": table_id,
        "version": -1 if known is None else known.version,
        "config_version": -1 if known is None else known.config.version,
    }
    if callers:
        item["callers"] = callers_item(callers)
    row = await executor.query(_LOAD, item)
    if row is None:
        raise TableNotFound("there is no such table")
    now_ms, version, state_text, config_version, config_text, seats_text, callers_text = row
    if config_text is None:
        assert known is not None
        config = known.config
    else:
        config = table_config_read(config_version, config_text)
    if state_text is None:
        assert known is not None
        state = known.state
    else:
        state = state_from_json(config.game, json.decode_object(state_text))
    holders = seat_holders_read(seats_text)
    _remember(executor, table_id, _Known(version, state, config, holders, _clock_ahead_ms(now_ms)))
    await chain_seeds.prepare(executor, state.chain.id)
    standings = caller_standings_read(callers_text)
    return TableSnapshot(table_id, now_ms, version, state, config, holders, standings)


def table_recall(table_id: str, *, least_version: int) -> TableSnapshot | None:
    """Return a table from the cache of this process, or None if that cannot be used: because a newer version is known,
    the time of PostgreSQL was read too long ago, or a deadline of the table is due. `table_save` checks all other facts
    before it writes a change of such a table.
    """
    known = _known.get(table_id)
    if known is None or known.version < least_version or not chain_seeds.is_open(known.state.chain.id):
        return None
    own_ms = time.monotonic_ns() // 1_000_000
    now_ms = own_ms + known.clock_ahead_ms.value
    deadline = known.state.deadline
    if own_ms - known.clock_ahead_ms.read_ms > CLOCK_TRUSTED_MS or (deadline is not None and deadline <= now_ms):
        return None
    return TableSnapshot(
        table_id, now_ms, known.version, known.state, known.config, known.holders, is_recalled=True
    )  # fmt: skip


def seats_to_act(table_id: str) -> int:
    """Return the number of seats that may act now, as far as this process knows."""
    known = _known.get(table_id)
    return 0 if known is None else known.state.awaited


async def table_lock(transaction: Transaction, table_id: str) -> None:
    """Lock the table's row until the transaction ends. Raises Busy, Unavailable."""
    await transaction.fetch(_LOCK, table_id)


async def table_lock_shared(transaction: Transaction, table_id: str) -> None:
    """Block `table_lock` by others until the transaction ends. Changes without a lock continue. Raises Busy,
    Unavailable.

    A transaction that writes a row that refers to the table takes it first: PostgreSQL would take it last, at its end.
    """
    await transaction.fetch(_LOCK_SHARED, table_id)


async def table_save(
    executor: Executor,
    before: TableSnapshot,
    change: TableChange[Any],
    *,
    events: ChangeEvents | None = None,
    callers: Sequence[Caller] = (),
    seats: Sequence[SeatTakenBy] = (),
    void: Mapping[str, str] | None = None,
) -> Delivery:
    """Write a change and its money, log and events, all or nothing; return the delivery.

    `events` are those, if the change combines several; `callers` have sent the messages whose ids it uses;
    `seats` are the seats that it gives to sessions; `void` says who voids a round, and why. Raises StaleState if the
    table has changed since it was read, is being changed, or a message was used before: nothing is written then.
    Unavailable: the change may have been written.
    """
    version = before.version + 1
    events = events or change_events(before, change, seats)
    item = change_item(before, change, version, events.stored, callers=callers, is_void=void is not None)
    if seats:
        item["seats"] = [taken._asdict() for taken in seats]
    if void is not None:
        item["void"] = void
    try:
        row = await executor.query(_SAVE, item)
    except (InsufficientFunds, Conflict) as error:
        # The balance that was read covered the stakes, and no other change of this version has moved money.
        raise StaleState(_STALE) from error
    assert row is not None
    saved, now_ms = row
    if not saved:
        raise StaleState(_STALE)
    if not seats:
        after = before.after(change)
        _remember(
            executor,
            before.table_id,
            _Known(version, after.state, after.config, after.holders, _clock_ahead_ms(now_ms)),
        )
    return Delivery(before.table_id, version, events.notices)


class MessageUsed(Exception):
    """The session has sent a message with this id before."""


async def events_load(executor: Executor, table_id: str, *, game_type: str, after: int, until: int) -> list[Delivery]:
    """Return the events of a table's changes after a version, oldest first. Raises Unavailable."""
    rows = await executor.fetch(_EVENTS, table_id, after, until)
    return [
        Delivery(
            table_id,
            version,
            [
                Notice(recipient, excluded, body[1:].decode())
                for _, recipient, excluded, body in _events_read(text, game_type, table_id)
            ],
        )
        for version, text in rows
    ]


class MissedEvents(NamedTuple):
    """The events of one change, for a client that was away."""

    events: Sequence[tuple[str, int | None, Sequence[int], bytes]]
    """For each event the message's id, its receiver, the excluded sessions, and its JSON without `sequence` and
    `timestamp`."""
    told_ms: int


async def missed_load(
    executor: Executor, table_id: str, *, game_type: str, last_seen: str | None, until: int
) -> list[MissedEvents]:
    """Return the events of a table since the change that sent the message `last_seen`, that change included. If that
    change is no longer stored, return the events of the last finished round and of the running one.
    """
    rows = await executor.fetch(_MISSED, table_id, until, last_seen)
    return [MissedEvents(_events_read(text, game_type, table_id), told_ms) for told_ms, text in rows]


async def versions_load(executor: Executor, table_ids: Sequence[str]) -> dict[str, int]:
    """Return the versions of tables. Raises Unavailable."""
    return {str(table_id): version for table_id, version in await executor.fetch(_VERSIONS, list(table_ids))}


async def due_load(
    executor: Executor, *, overdue_ms: int, excluded: Sequence[str], limit: int
) -> list[tuple[str, int]]:
    """Return the tables whose deadline passed at least `overdue_ms` ago, most overdue first, with the delay in ms.

    Tables in `excluded` are left out.
    """
    return [
        (str(table_id), late_ms) for table_id, late_ms in await executor.fetch(_DUE, overdue_ms, list(excluded), limit)
    ]


class _ClockAhead(NamedTuple):
    """The lead of PostgreSQL's time over this process's monotonic clock, and the time of its measurement."""

    value: int
    read_ms: int


class _Known(NamedTuple):
    version: int
    state: TableState[Any]
    config: TableConfig
    holders: Mapping[int, SeatHolder]
    clock_ahead_ms: _ClockAhead


_known: Final[OrderedDict[str, _Known]] = OrderedDict()


def _clock_ahead_ms(now_ms: int) -> _ClockAhead:
    own_ms = time.monotonic_ns() // 1_000_000
    return _ClockAhead(now_ms - own_ms, own_ms)


def _remember(executor: Executor, table_id: str, known: _Known) -> None:
    """Cache the read or written table, unless a newer version is known or the transaction may be rolled back."""
    if isinstance(executor, Transaction):
        return
    former = _known.get(table_id)
    if former is not None and former.version > known.version:
        return
    _known[table_id] = known
    _known.move_to_end(table_id)
    if len(_known) > MAX_TABLES:
        _known.popitem(last=False)


def _events_read(text: str, game_type: str, table_id: str) -> list[tuple[str, int | None, Sequence[int], bytes]]:
    rows: Any = json.decode(text)
    return [
        (
            row["id"],
            row["to"],
            row["but"],
            game_body(row["type"], message_id=row["id"], game_type=game_type, table_id=table_id, fields=row["fields"]),
        )
        for row in rows
    ]


_LOAD: Final = "SELECT * FROM tables_load($1)"
_SAVE: Final = "SELECT * FROM tables_save($1)"
_LOCK: Final = "SELECT FROM game_table WHERE id = $1 FOR UPDATE"
_LOCK_SHARED: Final = "SELECT FROM game_table WHERE id = $1 FOR KEY SHARE"
_EVENTS: Final = (
    "SELECT version, events FROM table_event WHERE table_id = $1 AND version > $2 AND version <= $3 ORDER BY version"
)
_MISSED: Final = """
    WITH seen AS (
        -- Events of the same moment at other tables are sent again: a client ignores those that it knows.
        -- A later event may name the id too, as the one that it repeats.
        SELECT min(ctime) AS ctime FROM table_event
         WHERE table_id IN (
                   SELECT other.table_id FROM table_member AS member
                     JOIN table_member AS other ON other.session_id = member.session_id WHERE member.table_id = $1)
           AND strpos(events, '"' || $3::text || '"') > 0
    )
    SELECT (extract(epoch FROM ctime) * 1000)::bigint, events FROM table_event
     WHERE table_id = $1 AND version <= $2
       AND CASE WHEN (SELECT ctime FROM seen) IS NOT NULL THEN ctime >= (SELECT ctime FROM seen)
           ELSE round_number >= (
               SELECT max(round_number) - 1 FROM table_event WHERE table_id = $1 AND version <= $2) END
     ORDER BY version
"""
_VERSIONS: Final = "SELECT id, version FROM game_table WHERE id = ANY($1::text[]::uuid[])"
_DUE: Final = (
    "SELECT id, (extract(epoch FROM clock_timestamp() - deadline) * 1000)::bigint FROM game_table"
    " WHERE deadline <= clock_timestamp() - $1::bigint * interval '1 millisecond' AND id <> ALL($2::text[]::uuid[])"
    " ORDER BY deadline LIMIT $3"
)
_STALE: Final = "the table has changed; try again in a moment"
