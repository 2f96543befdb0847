"""Partners' own days: which time zone applies from which moment.

A zone takes over at the first midnight of its first day, at one moment: every moment belongs to one zone, and the sums
of all own days are those of all days in UTC. If UTC applied before, it takes over at midnight in UTC, because the rows
of days in UTC are whole days. The day beside a change is shorter or longer than others.
"""

from typing import Final

from django.db import connection
from django.db.models import Q

from apps.partners.models import Partner
from apps.statistics.ranges import UTC_ZONE

_UTC_DAYS_SQL: Final = """
    WITH own AS ({own_zones})
    SELECT date '0001-01-01', coalesce((min(begins) AT TIME ZONE 'UTC')::date, '9999-12-31') FROM own
    UNION ALL
    SELECT (begins AT TIME ZONE 'UTC')::date, least((ends AT TIME ZONE 'UTC')::date, '9999-12-31')
    FROM own WHERE zone = 'UTC'
"""
"""The days in which UTC applies: until the first zone, and after UTC was chosen."""


def own_zones_sql(partner: str) -> str:
    """Return the query for a partner's zones, each with its beginning and end. Until the first zone, UTC applies.

    `partner` is the partner's id as SQL. A zone whose end is not after its beginning never applies: the next zone's
    first midnight came before its own.
    """
    return f"""
        SELECT zone, begins,
            coalesce(min(begins) OVER (ORDER BY from_day ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 'infinity')
                AS ends
        FROM (
            SELECT from_day, zone, from_day::timestamp AT TIME ZONE
                CASE WHEN lag(zone, 1, 'UTC') OVER (ORDER BY from_day) = 'UTC' THEN 'UTC' ELSE zone END AS begins
            FROM partner_zone WHERE partner_id = {partner}
        ) AS begun
    """  # noqa: S608 - an expression of our own modules


def own_days_of(partner: Partner) -> Q:
    """Return the condition for the day rows of the partner's own days, those in UTC while UTC applies. Its rows in
    another zone are those of the time in which that zone applies (`apps/statistics/stretch_sums.py`).
    """
    with connection.cursor() as cursor:
        cursor.execute(_UTC_DAYS_SQL.format(own_zones=own_zones_sql("%s")), [partner.pk])
        held = cursor.fetchall()
    wanted = ~Q(zone=UTC_ZONE)
    for first, end in held:
        wanted |= Q(zone=UTC_ZONE, period__gte=first, period__lt=end)
    return wanted
