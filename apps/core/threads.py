"""Calls between the event loop and threads: blocking work with Django's connection, and coroutines from synchronous
code."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from django.conf import settings
from django.db import connection
from django.db.transaction import TransactionManagementError

from apps.core.database import database_errors, transaction_refuse
from apps.core.pool import pool_close

_Result = TypeVar("_Result")
_threads: Final = ThreadPoolExecutor(settings.PUNTO_SOCKET_THREADS, thread_name_prefix="socket")


def in_loop(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine from synchronous code and return its result, once for all the work of a task or command.

    It gets an event loop and database connections of its own, which take longer to open than a bet. It is refused
    inside a transaction: the work commits by itself and sees only committed data.
    """
    try:
        transaction_refuse()
    except TransactionManagementError:
        work.close()
        raise

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
