"""Event loops of tests."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

from django.conf import settings
from django.db import connections

from apps.core.pool import pool_close
from apps.core.threads import in_loop, loop_share

Answer = TypeVar("Answer")


class KeptLoop:
    """An event loop in a thread, for all coroutines of one test.

    It opens its connections to the database and prepares their statements once. A loop of its own for each bet would
    take longer for that than for the bet.
    """

    def __init__(self) -> None:
        self._address = _address()
        self._owner = threading.get_ident()
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(_serve(started)), name="kept-loop", daemon=True)
        self._thread.start()
        self._loop, self._ended = started.result()

    @property
    def serves(self) -> bool:
        """Whether it works for this thread, on the database that is set now: threads of a test have loops of their own,
        as processes have."""
        return threading.get_ident() == self._owner and self._address == _address()

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        def on_this_loop() -> Answer:
            loop_share(self._loop)
            return in_loop(work)

        return copy_context().run(on_this_loop)

    def close(self) -> None:
        """Close its connections, cancel what it still does, and end it."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()


_kept: list[KeptLoop | None] = []
"""The loop of the running test; empty outside of `loop_kept`, and None until it is needed."""


@contextmanager
def loop_kept() -> Iterator[None]:
    """Let `run` use one loop in the block."""
    _kept.append(None)
    try:
        yield
    finally:
        kept = _kept.pop()
        if kept is not None:
            kept.close()


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the coroutine on the test's loop, whose connections stay open until the test ends; without one, or in another
    thread, on a loop of its own."""
    if not _kept:
        return in_loop(work)
    if _kept[-1] is None:
        _kept[-1] = KeptLoop()
    return _kept[-1].run(work) if _kept[-1].serves else in_loop(work)


async def _serve(started: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    ended = asyncio.Event()
    started.set_result((asyncio.get_running_loop(), ended))
    await ended.wait()
    await pool_close()


def _address() -> object:
    """Return what the connections of a pool depend on, which a test can change."""
    database = connections["default"].settings_dict
    return database["HOST"], database["PORT"], repr(database["ASYNCPG"]), settings.PUNTO_SOCKET_CONNECTIONS
