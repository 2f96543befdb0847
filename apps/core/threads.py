"""Calls between the event loop and threads: blocking work with Django's connection, and coroutines from synchronous
code."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock, Thread
from typing import Any, Final, TypeVar

from django.conf import settings
from django.db import connection
from django.db.transaction import TransactionManagementError

from apps.core.database_errors import database_errors
from apps.core.postgres_pool import pool_close
from apps.core.transactions import transaction_refuse

_Result = TypeVar("_Result")
_threads: Final = ThreadPoolExecutor(settings.PUNTO_SOCKET_THREADS, thread_name_prefix="socket")
_shared: Final[ContextVar[asyncio.AbstractEventLoop | None]] = ContextVar("shared_loop", default=None)
_in_thread: Final[list[asyncio.AbstractEventLoop]] = []
_lock: Final = Lock()


def loop_share(loop: asyncio.AbstractEventLoop) -> None:
    """Have `in_loop` run on this loop for the rest of the request: its connections stay open for the next one."""
    _shared.set(loop)


def loop_in_thread() -> asyncio.AbstractEventLoop:
    """Return the loop of a thread that a process without an event loop has for its requests; started when needed."""
    with _lock:
        if not _in_thread:
            loop = asyncio.new_event_loop()
            Thread(target=loop.run_forever, name="event-loop", daemon=True).start()
            _in_thread.append(loop)
    return _in_thread[0]


def in_loop(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine from synchronous code and return its result.

    A request runs it on the loop that its process shares (`loop_share`). A task or command gets an event loop and
    database connections of its own, which take longer to open than a bet: one call for all its work. It is refused
    inside a transaction: the work commits by itself and sees only committed data.
    """
    try:
        transaction_refuse()
    except TransactionManagementError:
        work.close()
        raise

    shared = _shared.get()
    if shared is not None and shared is not _running_loop():
        return asyncio.run_coroutine_threadsafe(work, shared).result()

    async def run() -> _Result:
        try:
            return await work
        finally:
            await pool_close()

    return asyncio.run(run())


async def in_thread(call: Callable[[], _Result]) -> _Result:
    """Run a call in one of our threads, each of which has its connection and closes a broken one.

    Channels' own helper would run all database work of a process in one thread. Raises what the call raises, and the
    DomainError of an error of PostgreSQL.
    """

    def run() -> _Result:
        connection.close_if_unusable_or_obsolete()
        with database_errors():
            return call()

    return await asyncio.get_running_loop().run_in_executor(_threads, run)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread, which must not wait for itself."""
    with suppress(RuntimeError):
        return asyncio.get_running_loop()
    return None
