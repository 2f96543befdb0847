"""Fires the deadlines of tables: of betting windows, turns, pauses, and seats without a socket.

The engine sets them from the table's rules and, for a seat, `PUNTO_TABLE_DROP_S`. The earliest one is a column of the
table's row. Firing a table is a transition that carries out all that is due there: `_due_do` in
apps/tables/engine/transitions.py. Where a turn has run out it plays the default action (`default_actions_do` in
turns.py).

Each server process looks every `LOOK_S` seconds for due deadlines of all tables. It fires at once those of tables that
its own sockets follow. It leaves the others to the processes whose sockets follow them, until they are `OVERDUE_MS`
late: then those processes have died, or nobody follows the table. The worker fires those too (apps/tables/tasks.py). A
round goes on like this when its process dies, since its state is in PostgreSQL. The check of the table's version makes
sure that each deadline is fired once.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog

from apps.core.errors import Busy, DomainError
from apps.core.postgres_pool import pool
from apps.tables.services import table_deadline_pass
from apps.tables.store import due_load

LOOK_S: Final = 0.25
OVERDUE_MS: Final = 750
"""A deadline is overdue after this time. Before that it is left to the processes whose sockets follow the table."""
MAX_TABLES_AT_ONCE: Final = 100
FAILED_PAUSE_S: Final = 30

SeenHere = Callable[[str], bool]

log = structlog.get_logger(__name__)


async def deadlines_run(is_seen_here: SeenHere) -> None:
    """Fire due deadlines until cancelled."""
    while True:
        await asyncio.sleep(LOOK_S)
        try:
            await deadlines_fire(is_seen_here)
        except DomainError as error:
            log.warning("deadlines_not_read", error=error.code)
        except Exception:
            log.exception("deadlines_not_read")


async def deadlines_fire(is_seen_here: SeenHere | None = None) -> int:
    """Fire the due deadlines of tables that are followed here and the overdue ones of all tables; return how many.

    Without `is_seen_here` only the overdue ones.

    Raises Unavailable.
    """
    now = time.monotonic()
    for table_id in [table_id for table_id, until in _failed.items() if until <= now]:
        del _failed[table_id]
    overdue_ms = 0 if is_seen_here else OVERDUE_MS
    due = await due_load(pool(), overdue_ms=overdue_ms, excluded=list(_failed), limit=MAX_TABLES_AT_ONCE)
    mine = [
        table_id
        for table_id, late_ms in due
        if late_ms >= OVERDUE_MS or (is_seen_here is not None and is_seen_here(table_id))
    ]
    await asyncio.gather(*[_fire(table_id) for table_id in mine])
    return len(mine)


async def _fire(table_id: str) -> None:
    try:
        await table_deadline_pass(table_id=table_id)
    except Busy:
        pass  # another process or an action is changing the table; the next pass fires what is still due
    except DomainError as error:
        log.warning("deadline_not_fired", table=table_id, error=error.code)
    except Exception:
        # A table that fails needs a person to look at it; the others must not wait for it.
        log.exception("deadline_failed", table=table_id)
        _failed[table_id] = time.monotonic() + FAILED_PAUSE_S


_failed: Final[dict[str, float]] = {}
"""The tables whose deadline failed, each with the time of the next attempt by this process."""
