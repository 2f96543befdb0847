"""Threads that wait for each other in the database, one step at a time."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Answer = TypeVar("Answer")

WAIT_TIMEOUT_S = 30


def and_close(call: Callable[[], Answer]) -> Callable[[], Answer]:
    """Return the call for a thread of its own: it leaves no connection behind."""

    def run() -> Answer:
        try:
            return call()
        finally:
            connection.close()

    return run


def patiently(call: Callable[[], Answer]) -> Callable[[], Answer]:
    """As `and_close`; the call waits for locks for as long as the one it waits for, however busy the machine is."""

    def run() -> Answer:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{WAIT_TIMEOUT_S}s'")
        return call()

    return and_close(run)


def transactions_await() -> None:
    """Return when every transaction of the cluster, of other tests too, has ended that was under way at the call."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        (begun,) = cursor.fetchone()
        deadline = time.monotonic() + WAIT_TIMEOUT_S
        while time.monotonic() < deadline:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
            if cursor.fetchone()[0] >= begun:
                return
            time.sleep(0.01)
    raise AssertionError("an earlier transaction is still under way")


def lock_wait_await() -> None:
    """Return as soon as some session of the database waits for a lock."""
    lock_waits_await(1)


def lock_waits_await(sessions: int) -> None:
    """Return as soon as so many sessions of the database wait for a lock.

    It looks from a connection of its own: within a transaction the view stays as it was first seen.
    """
    with ThreadPoolExecutor(1) as watcher:
        watcher.submit(and_close(lambda: _lock_waits_watch(sessions))).result()


def _lock_waits_watch(sessions: int) -> None:
    deadline = time.monotonic() + WAIT_TIMEOUT_S
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            # A transaction sees the sessions that there were when it first looked, unless it is told to look again.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
                " WHERE NOT granted AND datname = current_database()"
            )
            if cursor.fetchone()[0] >= sessions:
                return
    raise AssertionError(f"not {sessions} sessions wait for a lock")
