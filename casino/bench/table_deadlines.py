"""Measures the delay of tables' deadlines, while their process runs and after it was killed."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from casino.bench.bench_environment import SOCKET_PORT, BenchEnvironment, program
from casino.bench.clients import load_run
from casino.bench.report import Table
from casino.bench.table_rooms import sessions_make, table_make, tables_stop

TABLES: Final = 50
KILLED_PORT: Final = 8735
WINDOW_S: Final = 5
LISTEN_S: Final = 14
"""Long enough for two windows of `WINDOW_S` with their pauses; a seat is freed after three windows without a stake."""
LOGGED_IN_S: Final = 30
"""The longest that the clients may need to log in."""


def deadlines_measure(bench: BenchEnvironment) -> Table:
    """Measure how long after its deadline a betting window is closed, by PostgreSQL's clock."""
    table = Table(f"Lateness of the deadlines of {TABLES} tables")
    made, tokens = _tables_seated()
    _listen(SOCKET_PORT, tokens)
    _row(table, "their process lives", _lateness_ms(made, after_s=0), "goal 1,000 ms")
    tables_stop(made)

    made, tokens = _tables_seated()
    other, other_tokens = _tables_seated(1)
    with ThreadPoolExecutor(2) as pool, program(["sockets"], bench.environment, KILLED_PORT) as killed_pid:
        killed = pool.submit(_listen, KILLED_PORT, tokens)
        lives = pool.submit(_listen, SOCKET_PORT, other_tokens)
        _sockets_await(made)
        os.killpg(killed_pid, signal.SIGKILL)
        killed_at = time.time()
        killed.result()
        lives.result()
    _row(table, "their process was killed", _lateness_ms(made, after_s=killed_at), "goal 3,000 ms")
    tables_stop([*made, *other])
    return table


def _tables_seated(count: int = TABLES) -> tuple[list[Any], list[str]]:
    made = [table_make("baccarat", currency="FUN", window_s=WINDOW_S, pause_s=1) for _ in range(count)]
    return made, sessions_make(made, seated=1)


def _listen(port: int, tokens: list[str]) -> None:
    load_run("listen", module="casino.bench.table_load", port=port, tokens=tokens, seconds=LISTEN_S)


def _sockets_await(made: list[Any]) -> None:
    """Wait until every player at the tables has a socket."""
    from apps.tables.models import TableSeat

    timeout_at = time.monotonic() + LOGGED_IN_S
    while TableSeat.objects.filter(table__in=made, session__socket="").exists():
        if time.monotonic() > timeout_at:
            raise SystemExit("The clients have not logged in.")
        time.sleep(0.05)


def _lateness_ms(made: list[Any], *, after_s: float) -> list[float]:
    """Return the delay of each window whose deadline came after `after_s`."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_LATENESS, [[table.pk for table in made], 1000 * after_s])
        return sorted(float(late_ms) for (late_ms,) in cursor.fetchall())


def _row(table: Table, name: str, late_ms: list[float], goal: str) -> None:
    if not late_ms:
        raise SystemExit(f"No window was closed ({name}).")
    middle, most = late_ms[len(late_ms) // 2], late_ms[-1]
    table.row(name, f"{middle:,.0f} ms, at most {most:,.0f} ms", f"{goal}; {len(late_ms)} deadlines")


_LATENESS: Final = """
    SELECT extract(epoch FROM closed.ctime) * 1000 - opened.deadline
      FROM (SELECT table_id, round_number, (event -> 'fields' -> 'payload' ->> 'deadline')::bigint AS deadline
              FROM table_event, jsonb_array_elements(events::jsonb) AS event
             WHERE table_id = ANY(%s) AND event ->> 'type' = 'betting_window_open') AS opened
      JOIN (SELECT table_id, round_number, ctime FROM table_event
             WHERE events::jsonb @> '[{"type": "betting_window_closed"}]') AS closed
     USING (table_id, round_number)
     WHERE opened.deadline > %s
"""
