"""Compares the statistics with a recount of their rounds and movements."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from django.db import connection

from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.statistics.luck import luck_json
from apps.statistics.models import FoldState
from apps.statistics.services import day_parameters
from apps.statistics.sums import PLAY, SUM_TABLES, differences_sql, month_difference_sql

_DAYS_SQL: Final = """
    SELECT day, zone, bool_or(is_closed) FROM (
        SELECT day, zone, true AS is_closed FROM statistics_day
        UNION ALL SELECT period, zone, false FROM play_stat WHERE level = 'day'
        UNION ALL SELECT period, zone, false FROM player_day
        UNION ALL SELECT period, zone, false FROM movement_day
    ) AS known
    WHERE %(since)s::date IS NULL OR day >= %(since)s OR date_trunc('month', day) = %(month)s
    GROUP BY day, zone ORDER BY day, zone
"""
_MONTH_SQL: Final = """
    SELECT month FROM (
        SELECT DISTINCT date_trunc('month', day)::date AS month FROM statistics_day WHERE day < %s
    ) AS closed
    ORDER BY random() LIMIT 1
"""


def statistics_check(*, at_most: int, since: datetime | None = None) -> Check:
    """Recount every day from `since` on, yesterday at the latest, and those of a random month before; without `since`
    all. An open day is recounted up to the edge of the fold.

    Reports at most `at_most` rows of a day and table. The caller has opened `one_moment`. `checked` counts days.
    """
    transaction_require()
    findings = _zone_findings(at_most)
    if findings:  # PostgreSQL refuses to compute with them
        return Check(0, findings)
    state = FoldState.objects.filter(pk=1).first()
    with connection.cursor() as cursor:
        cursor.execute(_DAYS_SQL, _days_asked(cursor, since))
        days = cursor.fetchall()
        for day, zone, is_closed in days:
            parameters: dict[str, Any] = day_parameters(day, zone) | {"at_most": at_most}
            if not is_closed and state is not None and state.edge is not None:
                parameters["until"] = min(parameters["until"], state.edge)
            parameters["luck"] = luck_json(parameters)
            cursor.execute(differences_sql(), parameters)
            findings += [
                Finding(f"{table} row {row_id}", f"a recount of {day} in {zone} differs")
                for table, row_id in cursor.fetchall()
            ]
        for table in SUM_TABLES:
            cursor.execute(_marked_sql(table.name, is_play=table is PLAY), {"at_most": at_most})
            findings += [
                Finding(f"{table.name} row {row_id}", "it is final, or not, unlike its day")
                for (row_id,) in cursor.fetchall()
            ]
        cursor.execute(f"{month_difference_sql()} LIMIT %(at_most)s", {"at_most": at_most})
        findings += [
            Finding(f"play_stat row {row_id}", f"the month of {month} in {zone} is not the sum of its days")
            for row_id, month, zone in cursor.fetchall()
        ]
    return Check(len(days), findings)


def _days_asked(cursor: Any, since: datetime | None) -> dict[str, date | None]:
    """Return the first day to recount and the month before it; None and None for all days."""
    if since is None:
        return {"since": None, "month": None}
    first = min(since.date(), datetime.now(UTC).date() - timedelta(days=1))
    cursor.execute(_MONTH_SQL, [first])
    chosen = cursor.fetchone()
    return {"since": first, "month": chosen[0] if chosen else None}


def _zone_findings(at_most: int) -> list[Finding]:
    """Return the rows whose time zone does not exist, at most `at_most` of each table."""
    tables = ("partner_zone", "statistics_day", *(table.name for table in SUM_TABLES))
    with connection.cursor() as cursor:
        cursor.execute(_unknown_zones_sql(tables), {"at_most": at_most})
        return [
            Finding(f"{table} row {row_id}", f"there is no time zone {zone!r}")
            for table, row_id, zone in cursor.fetchall()
        ]


def _unknown_zones_sql(tables: Sequence[str]) -> str:
    """Return one query for all tables: PostgreSQL reads every file of its time zones for the names."""
    parts = " UNION ALL ".join(
        f"(SELECT '{table}', id, zone FROM {table} WHERE zone NOT IN (SELECT name FROM known)"  # noqa: S608 - as below
        " ORDER BY id LIMIT %(at_most)s)"
        for table in tables
    )
    return f"WITH known AS MATERIALIZED (SELECT name FROM pg_timezone_names) {parts}"  # noqa: S608 - see `tables`


def _marked_sql(table: str, *, is_play: bool) -> str:
    return f"""
        SELECT held.id FROM {table} AS held
        WHERE {"held.level = 'day' AND" if is_play else ""} (held.closed_at IS NOT NULL) <> EXISTS (
            SELECT FROM statistics_day AS closed WHERE closed.day = held.period AND closed.zone = held.zone
        )
        ORDER BY held.id LIMIT %(at_most)s
    """  # noqa: S608 - names from apps/statistics/sums.py
