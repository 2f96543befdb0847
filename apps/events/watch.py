"""Records events that no act causes: a wrong clock, a log-in of the database's owner, changed policy, an outage.

`events_watch` looks for them every 20 seconds. An outage is noticed afterwards, by the time without looks.
"""

import socket
import time
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connection, transaction

from apps.events.models import EventKind, EventWatch
from apps.events.policy_watch import policy_check
from apps.events.services import event_record
from apps.events.thresholds import CLOCK_S, STEP_S, UNAVAILABLE_S, threshold_value

# A role without the right to read others' activity sees the user and process id of each connection, and needs no more.
_OWNERS_SQL: Final = """
    SELECT activity.pid, activity.usename FROM pg_stat_activity AS activity
    JOIN pg_database AS base ON base.oid = activity.datid
    WHERE base.datname = current_database() AND activity.usesysid = base.datdba AND activity.pid <> pg_backend_pid()
"""


class Clocks:
    """The clocks of one process: the wall clock, which may be set, and the monotonic one."""

    def __init__(self) -> None:
        self.wall_s = time.time()
        self.steady_s = time.monotonic()

    def step_s(self) -> float:
        """Return the seconds by which the clock was set since the last look; negative if it was set back."""
        wall_s, steady_s = time.time(), time.monotonic()
        step_s = (wall_s - self.wall_s) - (steady_s - self.steady_s)
        self.wall_s, self.steady_s = wall_s, steady_s
        return step_s


_CLOCKS: Final = Clocks()


@transaction.atomic(durable=True)
def events_watch(*, clocks: Clocks = _CLOCKS) -> None:
    """Look once, and record what is found. Locks the row with the time of the last look."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO event_watch (id, policy) VALUES (1, '{}') ON CONFLICT DO NOTHING")
    last = EventWatch.objects.select_for_update().get(pk=1)
    with connection.cursor() as cursor:
        before_s = time.time()
        cursor.execute("SELECT clock_timestamp()")
        (database_now,) = cursor.fetchone()
        after_s = time.time()
        _clock_check(database_now, before_s, after_s)
        _step_check(clocks.step_s(), database_now)
        _owner_check(cursor, database_now)
        last.policy = policy_check(cursor, last.policy, at=database_now)
    if last.at is not None:
        _gap_check(last.at, database_now)
    last.at = database_now
    last.save(update_fields=["at", "policy"])


def _clock_check(database_now: datetime, before_s: float, after_s: float) -> None:
    """Compare PostgreSQL's clock with this machine's, which was read before and after it."""
    told_s = database_now.timestamp()
    apart_s = max(before_s - told_s, told_s - after_s, 0)
    if apart_s >= threshold_value(CLOCK_S):
        _clock_record("the clocks disagree", apart_s, f"{database_now:%Y-%m-%d %H}")


def _step_check(step_s: float, database_now: datetime) -> None:
    if abs(step_s) >= threshold_value(STEP_S):
        _clock_record("the clock was set", step_s, f"{database_now:%Y-%m-%d %H:%M}")


def _clock_record(reason: str, seconds: float, when: str) -> None:
    machine = socket.gethostname()
    event_record(
        kind=EventKind.CLOCK_CHANGED,
        component="clock",
        subject=f"clock of {machine}"[:160],
        reason=reason,
        after={"seconds": f"{seconds:.3f}"},
        once=f"{reason} {machine} {when}"[:160],
    )


def _owner_check(cursor: Any, database_now: datetime) -> None:
    cursor.execute(_OWNERS_SQL)
    for pid, name in cursor.fetchall():
        event_record(
            kind=EventKind.DATA_CHANGED,
            component="database",
            actor=f"role {name}",
            subject=f"session {pid}",
            reason="the database's owner is logged in",
            once=f"owner {pid} {database_now:%Y-%m-%d}",
        )


def _gap_check(last: datetime, database_now: datetime) -> None:
    gap_s = (database_now - last).total_seconds()
    if gap_s >= threshold_value(UNAVAILABLE_S):
        event_record(
            kind=EventKind.UNAVAILABLE,
            component="worker",
            subject="scheduled work",
            reason="nothing was checked for a while: database, Redis or worker were not available",
            after={"seconds": f"{gap_s:.0f}", "since": last.astimezone(UTC)},
        )
