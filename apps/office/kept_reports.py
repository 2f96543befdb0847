"""Stores the reports of each closed day: of all partners together, and of each partner."""

from datetime import date, timedelta
from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, QuerySet

from apps.core.exports import FileForm
from apps.core.locks import advisory_lock
from apps.core.staff_scope import PARTNER_STAFF, Viewer, in_scope, sees_all_partners
from apps.office.reports import REPORTS, report_kinds, report_of
from apps.partners.models import Partner
from apps.reports.models import KeptReport
from apps.reports.period import UTC_NAME, Period
from apps.reports.render import report_file
from apps.statistics.models import StatisticsDay

FIRST_DAYS: Final = 7
"""The number of newest closed days whose reports the first run keeps."""
DAYS_AT_ONCE: Final = 31
"""The most missed days that one run makes up for."""
MADE_BY: Final = "the platform"


def reports_keep() -> int:
    """Keep the reports of closed days that have none, the newest first; return the number of days.

    Each day is one transaction. A day that fails does not keep the others from it; raises ExceptionGroup at the end.
    """
    kept, errors = 0, []
    for day in _days_without():
        try:
            kept += _day_keep(day)
        except Exception as error:  # noqa: BLE001 - it is raised once the other days are kept
            error.add_note(f"the reports of {day}")
            errors.append(error)
    if errors:
        raise ExceptionGroup("reports that could not be kept", errors)
    return kept


def kept_reports(viewer: Viewer) -> "QuerySet[KeptReport]":
    """Return the kept reports that the viewer may see: those of the own partner, or all."""
    rows = KeptReport.objects.filter(name__in=[kind.name for kind in report_kinds(viewer)]).select_related("partner")
    return rows if sees_all_partners(viewer) else in_scope(rows, viewer=viewer, partner_path="partner_id")


def _days_without() -> list[date]:
    """Return the closed days that have no reports since the first one that has, newest first."""
    closed = StatisticsDay.objects.filter(zone=UTC_NAME).order_by("-day")
    newest = closed.first()
    if newest is None:
        return []
    first_kept = KeptReport.objects.aggregate(day=Min("day"))["day"]
    first = newest.day - timedelta(days=FIRST_DAYS - 1)
    missing = closed.filter(
        ~Exists(KeptReport.objects.filter(day=OuterRef("day"))), day__gte=min(first, first_kept or first)
    )
    return list(missing.values_list("day", flat=True)[:DAYS_AT_ONCE])


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
