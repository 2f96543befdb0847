"""Waits for conditions, and for threads that wait for each other's locks in the database."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

from casino.settings.waits import WAIT_S

Answer = TypeVar("Answer")


def and_close(call: Callable[[], Answer]) -> Callable[[], Answer]:
    """Return the call for a thread, in which it closes its database connection at the end."""

    def run() -> Answer:
        try:
            return call()
        finally:
            connection.close()

    return run


def patiently(call: Callable[[], Answer]) -> Callable[[], Answer]:
    """Do the same as `and_close` with a long lock timeout, so that a busy machine does not end the wait."""

    def run() -> Answer:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{WAIT_S}s'")
        return call()

    return and_close(run)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Return as soon as the condition holds; `what` is the condition in words."""
    deadline = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.01)


def transactions_await() -> None:
    """Return when every transaction of the cluster that was running at the call has ended, including those of other
    tests."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        (begun,) = cursor.fetchone()
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
            if cursor.fetchone()[0] >= begun:
                return
            time.sleep(0.01)
    raise AssertionError("an earlier transaction is still under way")


def lock_wait_await() -> None:
    """Return as soon as a session of the database waits for a lock."""
    lock_waits_await(1)


def lock_waits_await(sessions: int) -> None:
    """Return as soon as this number of sessions waits for a lock.

    It uses a connection of its own, since the view is a snapshot within a transaction.
    """
    with ThreadPoolExecutor(1) as watcher:
        watcher.submit(and_close(lambda: _lock_waits_watch(sessions))).result()


def _lock_waits_watch(sessions: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            # A transaction keeps its first snapshot of the sessions unless it is cleared.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
                " WHERE NOT granted AND datname = current_database()"
            )
            if cursor.fetchone()[0] >= sessions:
                return
    raise AssertionError(f"not {sessions} sessions wait for a lock")
