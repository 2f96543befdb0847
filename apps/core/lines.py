"""The event loop's own connections to the database: no thread waits for a statement.

A socket's action is two statements. A thread for them costs more in being woken than the action does in Python.
"""

import asyncio
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg_pool import AsyncConnectionPool

from apps.core.database import domain_error_of
from apps.core.statement import Asking, Question, Row

_RECONNECT_S: Final = 5
"""How long the pool tries again by itself; after that the next who asks makes it try."""

_Answer = TypeVar("_Answer")
_Pool = AsyncConnectionPool[psycopg.AsyncConnection[Any]]
_pools: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool]] = WeakKeyDictionary()


async def answer_awaited(asking: Asking[_Answer]) -> _Answer:
    """Carry out the work, each statement a transaction of its own on one of the loop's connections.

    Raises what it raises. Where the caller is cancelled, the statement under way is cancelled or has been carried out.
    """
    try:
        question = next(asking)
        while True:
            try:
                row = await _row(question)
            except Exception as error:  # noqa: BLE001  - the work decides what becomes of it
                question = asking.throw(error)
            else:
                question = asking.send(row)
    except StopIteration as end:
        result: _Answer = end.value
        return result


async def _row(question: Question) -> Row | None:
    pool = await _pool()
    try:
        link = await pool.getconn()
        try:
            return await question.statement.row_awaited(link, question.parameters)
        finally:
            await pool.putconn(link)
    except psycopg.Error as error:
        if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
            await pool.check()  # one connection was lost: those that lie idle may be dead as well
        refusal = domain_error_of(error)
        if refusal is None:
            raise
        raise refusal from error


async def _pool() -> _Pool:
    loop = asyncio.get_running_loop()
    pool = _pools.get(loop)
    if pool is None:
        database = connections[DEFAULT_DB_ALIAS].settings_dict
        parameters = connections[DEFAULT_DB_ALIAS].get_connection_params()
        options = {name: parameters[name] for name in parameters if name in _PARAMETERS}
        pool = _pools[loop] = AsyncConnectionPool(
            kwargs=options | {"autocommit": True},
            min_size=1,
            max_size=settings.PUNTO_SOCKET_CONNECTIONS,
            timeout=(database["OPTIONS"].get("pool") or {}).get("timeout", _RECONNECT_S),
            reconnect_timeout=_RECONNECT_S,
            open=False,
        )
    if pool.closed:
        await pool.open()
    return pool


_PARAMETERS: Final = frozenset({"dbname", "user", "password", "host", "port", "options", "sslmode"})
