"""The fold and the close of a day take effect completely or not at all, wherever they are killed.

A kill after a statement that only reads leaves what a kill before it leaves, unless the statement begins a transaction.
So `make test` kills after the statements that write, and after those that follow one. `make soak` kills after each.
"""

import re
from collections.abc import Callable

import psycopg
import pytest
from django.db import DatabaseError, connection

from apps.rounds.models import Round
from apps.statistics.models import PlayerDay, PlayStat, StatisticsDay
from apps.statistics.sums import SUM_TABLES
from tests.statistics.test_fold import (
    days_ago,
    everything_play,
    findings,
    folded,
    played_days_ago,
    statistics_findings,
    statistics_fold,
    total,
)
from tests.support.long_form import IS_LONG
from tests.support.played import baccarat_session

pytestmark = pytest.mark.usefixtures("committed")

WRITES = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\b")


def killed_after(statements: int, superuser: psycopg.Connection) -> bool:
    """Fold, and have PostgreSQL end the session after this number of statements, as when the process is killed.

    Only the statements that the module's text names are counted. Return False if there were fewer.
    """
    ran = 0
    follows_write = True  # the first statement begins a transaction

    def die(execute: Callable[..., object], sql: str, *rest: object) -> object:
        nonlocal ran, follows_write
        result = execute(sql, *rest)
        writes = WRITES.search(str(sql)) is not None
        if IS_LONG or writes or follows_write:
            ran += 1
            if ran == statements:
                superuser.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
        follows_write = writes
        return result

    try:
        with connection.execute_wrapper(die):  # type: ignore[arg-type]
            statistics_fold()
    except DatabaseError:
        return True
    except ExceptionGroup as of_days:
        if of_days.split(DatabaseError)[1] is not None:
            raise
        return True
    finally:
        if ran >= statements:
            connection.close()
    return False


def test_a_fold_that_is_killed_between_any_two_statements_leaves_nothing_half_done(
    superuser: psycopg.Connection,
) -> None:
    baccarat_session(bets=1)
    statistics_fold()  # the next one has an edge, and adds what is played now
    everything_play()
    statements = 1
    while killed_after(statements, superuser):
        statements += 1
    assert statements > (10 if IS_LONG else 5)
    folded()
    assert total("n") > 0
    assert findings() == []


def test_the_close_of_a_day_that_is_killed_between_any_two_statements_is_whole_or_not_there(
    superuser: psycopg.Connection,
) -> None:
    """Only the day's movements have been added, so the recount adds all other rows."""
    everything_play()
    folded()
    played_days_ago(superuser, 2)
    superuser.execute("UPDATE movement_day SET period = period - 2")
    for table in SUM_TABLES:
        if table.name != "movement_day":
            superuser.execute(f"DELETE FROM {table.name}")  # type: ignore[arg-type]
    closed: list[int] = []
    statements = 1
    while killed_after(statements, superuser):
        statements += 1
        rows = [list(PlayStat.objects.values("closed_at")), list(PlayerDay.objects.values("closed_at"))]
        closed.append(StatisticsDay.objects.count())
        assert all(bool(of_table) == bool(closed[-1]) for of_table in rows), statements
        assert all(row["closed_at"] for of_table in rows for row in of_table), statements
    assert closed == sorted(closed)
    assert statements > 20
    folded()
    day = StatisticsDay.objects.get(day=days_ago(2), zone="UTC")
    assert day.corrected > 0
    assert total("stake") == sum(played.stake for played in Round.objects.filter(how_ended="played"))
    assert statistics_findings() == []
