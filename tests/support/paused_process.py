"""Pauses a server's process at a moment at which it holds no transaction."""

import os
import signal
import time
from datetime import datetime
from typing import Final

from django.db import connection

from casino.settings.waits import WAIT_S
from tests.support.server import Server

LOOK_S: Final = 0.05
LOOKS: Final = 10


def process_pause(server: Server) -> None:
    """Pause the process; the caller sends it SIGCONT.

    In the middle of a transaction others would wait for its locks until PostgreSQL ends it
    (`idle_in_transaction_session_timeout`, which is long in tests).
    """
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        os.kill(server.pid, signal.SIGSTOP)
        time.sleep(LOOK_S)  # what it has just sent arrives
        held = _transactions()
        for _ in range(LOOKS):  # those of other processes end meanwhile
            if not held:
                return
            time.sleep(LOOK_S)
            held &= _transactions()
        os.kill(server.pid, signal.SIGCONT)
        time.sleep(LOOK_S)
    raise AssertionError("the process was in a transaction each time")


def _transactions() -> set[tuple[int, datetime]]:
    """Return the running transactions of this database: process and beginning."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, xact_start FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type = 'client backend'"
        )
        return set(cursor.fetchall())
