"""Event loops of tests."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.db import connections

from apps.core.postgres_pool import pool_close
from apps.core.threads import in_loop, loop_share

Answer = TypeVar("Answer")


class _TestLoop:
    """An event loop of a test, with connections to the database that is set when it is made."""

    def __init__(self) -> None:
        self._address = _address()

    @property
    def is_current(self) -> bool:
        """Whether its connections go to the database that is set now."""
        return self._address == _address()


class KeptLoop(_TestLoop):
    """An event loop in a thread, for all coroutines of one test.

    It opens its connections to the database and prepares their statements once. A separate loop for each bet would take
    longer for that than for the bet.
    """

    def __init__(self) -> None:
        super().__init__()
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(_serve(started)), name="kept-loop", daemon=True)
        self._thread.start()
        self._loop, self._ended = started.result()

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        def on_this_loop() -> Answer:
            loop_share(self._loop)
            return in_loop(work)

        return copy_context().run(on_this_loop)

    def close(self) -> None:
        """Close its connections, cancel its tasks, and end it."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()


class RestingLoop(_TestLoop):
    """An event loop that runs during each call alone, and keeps its connections for the next one.

    It has a thread of its own, since Playwright's loop may run in that of the test.
    """

    def __init__(self) -> None:
        super().__init__()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="resting-loop")
        self._runner = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return self._thread.submit(lambda: self._runner.run(work)).result()

    def close(self) -> None:
        """Close its connections, cancel its tasks, and end it."""
        self.run(pool_close())
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()


@dataclass
class _Test:
    """The running test: its thread, and its loops as soon as they are needed."""

    thread: int
    loop: KeptLoop | None = None
    resting: RestingLoop | None = None


_tests: list[_Test] = []


@contextmanager
def loop_kept() -> Iterator[None]:
    """Let `run` use one loop in the block, in this thread."""
    _tests.append(_Test(threading.get_ident()))
    try:
        yield
    finally:
        test = _tests.pop()
        for loop in (test.loop, test.resting):
            if loop is not None:
                loop.close()


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the coroutine on the test's loop, whose connections stay open until the test ends.

    Outside a test, and in a thread of a test, which stands for another process, it runs on a separate loop.
    """
    test = _tests[-1] if _tests else None
    if test is None or test.thread != threading.get_ident():
        return in_loop(work)
    if test.loop is None:
        test.loop = KeptLoop()
    return test.loop.run(work) if test.loop.is_current else in_loop(work)


def run_alone(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the coroutine on a loop that does nothing else, as in a process without sockets.

    A kept loop would go on with a table: it fires the deadlines of what was done on it.
    """
    test = _tests[-1] if _tests else None
    if test is None or test.thread != threading.get_ident():
        return in_loop(work)
    if test.resting is None:
        test.resting = RestingLoop()
    return test.resting.run(work) if test.resting.is_current else in_loop(work)


async def _serve(started: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    ended = asyncio.Event()
    started.set_result((asyncio.get_running_loop(), ended))
    await ended.wait()
    await pool_close()


def _address() -> object:
    """Return the settings that a pool's connections depend on, which a test can change."""
    database = connections["default"].settings_dict
    return database["HOST"], database["PORT"], repr(database["ASYNCPG"]), settings.PUNTO_SOCKET_CONNECTIONS
