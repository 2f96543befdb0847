"""Partners' own days: which time zone applies from which moment.

A zone takes over at the first midnight of its first day, at one moment: every moment belongs to one zone, and the sums
of all own days are those of all days in UTC. If UTC applied before, it takes over at midnight in UTC, because the rows
of days in UTC are whole days. The day beside a change is shorter or longer than others.
"""

from datetime import datetime
from typing import Final

from django.db import connection

_SPANS_SQL: Final = "SELECT zone, begins, nullif(ends, 'infinity') FROM ({own_zones}) AS own WHERE begins < ends"


def own_zones_sql(partner: str) -> str:
    """Return the query for a partner's zones, each with its beginning and end. Until the first zone, UTC applies.

    `partner` is the partner's id as SQL. A zone whose end is not after its beginning never applies: the next zone's
    first midnight came before its own. One that was withdrawn before it began counts for nothing.
    """
    return f"""
        SELECT zone, begins,
            coalesce(min(begins) OVER (ORDER BY from_day ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 'infinity')
                AS ends
        FROM (
            SELECT from_day, zone, from_day::timestamp AT TIME ZONE
                CASE WHEN lag(zone, 1, 'UTC') OVER (ORDER BY from_day) = 'UTC' THEN 'UTC' ELSE zone END AS begins
            FROM partner_zone WHERE partner_id = {partner} AND withdrawn_at IS NULL
        ) AS begun
    """  # noqa: S608 - an expression of our own modules


def own_zone_spans(partner_id: int) -> list[tuple[str, datetime, datetime | None]]:
    """Return the zones of a partner, each with the span in which it applies; None is no end."""
    with connection.cursor() as cursor:
        cursor.execute(_SPANS_SQL.format(own_zones=own_zones_sql("%s")), [partner_id])
        spans: list[tuple[str, datetime, datetime | None]] = cursor.fetchall()
    return spans
