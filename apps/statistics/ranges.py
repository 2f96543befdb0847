"""Conditions for the rows of `play_stat` of a range of days: whole months from their own rows, the rest by days."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection

UTC_ZONE: Final = "UTC"
FIRST_DAY: Final = date(1, 1, 1)

_MONTHS_END_SQL: Final = """
    SELECT max(day) + 1 FROM statistics_day WHERE zone = %s AND extract(day FROM day + 1) = 1
"""


class StatRange(NamedTuple):
    """A condition on `play_stat` with the alias `stat`, and its parameters."""

    sql: str
    parameters: Mapping[str, Any]


def months_end() -> date:
    """Return the first day after the last month of UTC that has rows of its own; FIRST_DAY if none has."""
    with connection.cursor() as cursor:
        cursor.execute(_MONTHS_END_SQL, [UTC_ZONE])
        (found,) = cursor.fetchone()
    return found or FIRST_DAY


def stat_range(*, since: date | None = None, until: date | None = None) -> StatRange:
    """Return the condition for the days of UTC from `since` to `until`, both included; None is no limit.

    Each day is read once: in the row of its month if that is closed and wholly inside, else in its own.
    """
    first = FIRST_DAY if since is None else _month_begin(since)
    end = months_end()
    if until is not None:
        end = min(end, (until + timedelta(days=1)).replace(day=1))
    parameters = {"zone": UTC_ZONE, "since": since or FIRST_DAY, "until": until or date.max, "first": first, "end": end}
    if first >= end:
        days = "stat.level = 'day' AND stat.period BETWEEN %(since)s AND %(until)s"
        return StatRange(f"stat.zone = %(zone)s AND {days}", parameters)
    return StatRange(
        "stat.zone = %(zone)s AND (stat.level = 'month' AND stat.period >= %(first)s AND stat.period < %(end)s"
        " OR stat.level = 'day' AND stat.period BETWEEN %(since)s AND %(until)s"
        " AND (stat.period < %(first)s OR stat.period >= %(end)s))",
        parameters,
    )


def _month_begin(since: date) -> date:
    """Return the first day of the first month that begins on `since` or later."""
    return since if since.day == 1 else (since.replace(day=1) + timedelta(days=32)).replace(day=1)
