"""The event loop's pool under test: a pool of few connections with an application name of their own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final

import psycopg
import pytest
from django.conf import LazySettings
from django.db import connections

from apps.core.postgres_pool import Row, pool, pool_close
from casino.settings.waits import WAIT_S

CONNECTIONS: Final = 3
NAME: Final = "pool-of-the-test"
GATE: Final = 4711

DOUBLE: Final = "SELECT 2 * $1::integer"
PID: Final = "SELECT pg_backend_pid()"
PASS_GATE: Final = f"SELECT $1::integer, pg_backend_pid() FROM (SELECT pg_advisory_xact_lock_shared({GATE})) AS passed"
"""A statement that waits until the test opens the `Gate`."""


def pool_arguments_set(monkeypatch: pytest.MonkeyPatch, **arguments: Any) -> None:
    """Let new pools connect with these further arguments of asyncpg."""
    database = connections["default"].settings_dict
    monkeypatch.setitem(database, "ASYNCPG", database["ASYNCPG"] | arguments)


def few_connections_set(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let new pools have few connections, with NAME as application name."""
    settings.PUNTO_SOCKET_CONNECTIONS = CONNECTIONS
    named = connections["default"].settings_dict["ASYNCPG"]["server_settings"] | {"application_name": NAME}
    pool_arguments_set(monkeypatch, server_settings=named)


@asynccontextmanager
async def pool_watched(superuser: psycopg.Connection) -> AsyncIterator[None]:
    """Close the pool at the block's end; check that no task and no session is left and no error went unnoticed."""
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    yield
    await pool_close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, pending = await asyncio.wait(others, timeout=WAIT_S)
        assert not pending
    await until(lambda: not sessions(superuser))
    assert not faults, faults


def sessions(superuser: psycopg.Connection, condition: str = "true") -> set[int]:
    """Return the pools' sessions that meet a condition on pg_stat_activity."""
    rows = superuser.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"  # type: ignore[arg-type]
        f" AND {condition}",
        [NAME],
    )
    return {pid for (pid,) in rows}


def sessions_end(superuser: psycopg.Connection, pids: set[int] | None = None) -> set[int]:
    """End the sessions with these `pids`, or all sessions of the pools; return when they have ended."""
    ended = sessions(superuser) if pids is None else pids
    for pid in ended:
        superuser.execute("SELECT pg_terminate_backend(%s, 30000)", [pid])
    return ended


class Gate:
    """An advisory lock that PASS_GATE statements wait for."""

    def __init__(self, superuser: psycopg.Connection) -> None:
        self._superuser = superuser
        superuser.execute("SELECT pg_advisory_lock(%s)", [GATE])

    def open(self) -> None:
        """Let all waiting and later statements pass."""
        self._superuser.execute("SELECT pg_advisory_unlock_all()")

    async def reached(self, count: int) -> set[int]:
        """Return the waiting sessions as soon as this number waits."""
        await until(lambda: len(self._waiting()) >= count)
        return self._waiting()

    def _waiting(self) -> set[int]:
        return sessions(self._superuser, "wait_event_type = 'Lock'")


def gate_held(superuser: psycopg.Connection) -> Iterator[Gate]:
    """Close the gate for the block."""
    gate = Gate(superuser)
    yield gate
    gate.open()


async def until(condition: Callable[[], bool]) -> None:
    """Return as soon as the condition holds. There is no event to wait for."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def fetched(sql: str, *values: object) -> list[Row]:
    """Fetch from the loop's pool."""
    async with asyncio.timeout(WAIT_S):
        return [tuple(row) for row in await pool().fetch(sql, *values)]


async def asked(sql: str, *items: object) -> list[Any]:
    """Ask for all the items concurrently; return the answers and errors."""
    async with asyncio.timeout(WAIT_S):
        return await asyncio.gather(*[pool().query(sql, item) for item in items], return_exceptions=True)


async def all_is_well() -> None:
    """Check that twenty concurrent statements are answered, each with its own result."""
    numbers = range(20)
    assert await asyncio.gather(*[fetched(DOUBLE, number) for number in numbers]) == [[(2 * n,)] for n in numbers]
