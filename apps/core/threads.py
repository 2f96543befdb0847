"""From the event loop to a thread and back: what waits for Django's connection, and what awaits the pool's."""

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
    """Run a coroutine from synchronous code and return its result: once for all that a task or command does.

    It gets an event loop and database connections of its own, which take longer to make than a bet. Refused inside a
    transaction: the work commits by itself, and sees nothing that is not committed.
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
    """Run a call in one of our threads, each with its connection; one that broke is thrown away there.

    Channels' own thread hop runs all of a process's database work in one thread, players taking turns.
    Raises what it raises, and the DomainError of what PostgreSQL refuses.
    """

    def run() -> _Result:
        connection.close_if_unusable_or_obsolete()
        with database_errors():
            return call()

    return await asyncio.get_running_loop().run_in_executor(_threads, run)
