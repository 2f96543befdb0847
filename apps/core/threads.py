"""Database work that waits, away from the event loop: in threads of ours, each with its connection.

Channels' own thread hop runs all of a process's database work in one thread, players taking turns.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from django.conf import settings
from django.db import connection

from apps.core.database import database_errors

_Result = TypeVar("_Result")
_threads: Final = ThreadPoolExecutor(settings.PUNTO_SOCKET_THREADS, thread_name_prefix="socket")


async def in_thread(call: Callable[[], _Result]) -> _Result:
    """Run a call in one of the threads; a connection that broke is thrown away there.

    Raises what it raises, and the DomainError of what PostgreSQL refuses.
    """

    def run() -> _Result:
        connection.close_if_unusable_or_obsolete()
        with database_errors():
            return call()

    return await asyncio.get_running_loop().run_in_executor(_threads, run)
