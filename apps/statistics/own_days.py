"""The day rows of a partner's own days. Which zone applies from when is in apps/partners/own_zones.py."""

from typing import Final

from django.db import connection
from django.db.models import Q

from apps.partners.models import Partner
from apps.partners.own_zones import own_zones_sql
from apps.statistics.ranges import UTC_ZONE

_UTC_DAYS_SQL: Final = """
    WITH own AS ({own_zones})
    SELECT date '0001-01-01', coalesce((min(begins) AT TIME ZONE 'UTC')::date, '9999-12-31') FROM own
    UNION ALL
    SELECT (begins AT TIME ZONE 'UTC')::date, least((ends AT TIME ZONE 'UTC')::date, '9999-12-31')
    FROM own WHERE zone = 'UTC'
"""
"""The days in which UTC applies: until the first zone, and after UTC was chosen."""


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
