"""Stores the reports of each closed day: of all partners together, and of each partner."""

from datetime import date, timedelta
from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from apps.core.exports import FileForm
from apps.core.locks import advisory_lock
from apps.core.viewers import PARTNER_STAFF, Viewer, in_scope, sees_all_partners
from apps.office.reports import REPORTS, report_kinds, report_of
from apps.partners.models import Partner
from apps.reports.models import KeptReport
from apps.reports.period import UTC_NAME, Period
from apps.reports.render import report_file
from apps.statistics.models import StatisticsDay

DAYS_BACK: Final = 7
"""Days whose reports are still made if the worker was away."""
MADE_BY: Final = "the platform"


def reports_keep() -> int:
    """Keep the reports of each closed day that has none; return the number of days. Each day is one transaction."""
    newest = StatisticsDay.objects.filter(zone=UTC_NAME).order_by("-day").first()
    if newest is None:
        return 0
    closed = StatisticsDay.objects.filter(zone=UTC_NAME, day__gt=newest.day - timedelta(days=DAYS_BACK))
    return sum(_day_keep(day) for day in sorted(closed.values_list("day", flat=True)))


def kept_reports(viewer: Viewer) -> "QuerySet[KeptReport]":
    """Return what the viewer may see: of the own partner, or everything."""
    rows = KeptReport.objects.filter(name__in=[kind.name for kind in report_kinds(viewer)]).select_related("partner")
    return rows if sees_all_partners(viewer) else in_scope(rows, viewer=viewer, partner_path="partner_id")


@transaction.atomic
def _day_keep(day: date) -> bool:
    advisory_lock("kept reports")
    if KeptReport.objects.filter(day=day).exists():
        return False
    period = Period(day, day)
    partners = Partner.objects.order_by("pk")
    rows = []
    for scope in (None, *partners):
        for kind in REPORTS.values():
            if scope is not None and PARTNER_STAFF not in kind.readers:
                continue
            report = report_of(kind=kind, period=period, scope=scope, made_by=MADE_BY)
            body = report_file(report, FileForm.CSV)
            rows.append(
                KeptReport(
                    name=kind.name,
                    day=day,
                    partner=scope,
                    head=[list(pair) for pair in report.head],
                    row_count=len(report.table.rows),
                    body=body,
                    sha256=sha256(body).hexdigest(),
                )
            )
    KeptReport.objects.bulk_create(rows)
    return True
