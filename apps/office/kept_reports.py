"""Stores the reports of each closed day: of all partners together, and of each partner."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, timedelta
from hashlib import sha256
from typing import Final

from django.db import connection, transaction
from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import TruncDate

from apps.core.errors import Busy
from apps.core.exports import FileForm
from apps.core.locks import advisory_lock
from apps.core.staff_scope import PARTNER_STAFF, Viewer, in_scope, sees_all_partners
from apps.office.reports import REPORTS, ReportKind, report_kinds, report_of
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
    """Keep the missing reports of closed days, the newest first; return the number of days that were given some.

    Each report is one transaction. One that fails does not keep the others from it, and is tried again by the next run;
    raises ExceptionGroup at the end. Two runs take turns: the one that has to wait leaves the rest to the other.
    """
    days, errors = set(), []
    for day, kind, scope in _missing_of_days():
        try:
            if _report_keep(day, kind, scope):
                days.add(day)
        except Busy:
            break
        except Exception as error:  # noqa: BLE001 - it is raised once the other reports are kept
            error.add_note(f"the report {kind.name} of {day}, {'all partners' if scope is None else scope.slug}")
            errors.append(error)
    if errors:
        raise ExceptionGroup("reports that could not be kept", errors)
    return len(days)


def kept_reports(viewer: Viewer) -> "QuerySet[KeptReport]":
    """Return the kept reports that the viewer may see: those of the own partner, or all."""
    rows = KeptReport.objects.filter(name__in=[kind.name for kind in report_kinds(viewer)]).select_related("partner")
    return rows if sees_all_partners(viewer) else in_scope(rows, viewer=viewer, partner_path="partner_id")


def _missing_of_days() -> Iterator[tuple[date, ReportKind, Partner | None]]:
    """Yield what is missing, the newest day first: a day, a report, and its partner, or None for all of them.

    A report is due for each closed day since the first one of which it was kept, and a partner's for each day on which
    there was the partner.
    """
    closed = StatisticsDay.objects.filter(zone=UTC_NAME).order_by("-day")
    newest = closed.values_list("day", flat=True).first()
    if newest is None:
        return
    first = newest - timedelta(days=FIRST_DAYS - 1)
    kept_since = dict(KeptReport.objects.order_by().values_list("name").annotate(since=Min("day")))
    due_since = {name: min(first, kept_since.get(name, first)) for name in REPORTS}
    partners = list(Partner.objects.order_by("pk"))
    counts = _kept_counts()
    missed = 0
    for day in closed.filter(day__gte=min(due_since.values())).values_list("day", flat=True):
        due = _due(day, due_since, partners)
        if counts.get(day, 0) >= len(due):
            continue
        kept = set(KeptReport.objects.filter(day=day).values_list("name", "partner_id"))
        missing = [(kind, scope) for kind, scope in due if (kind.name, None if scope is None else scope.pk) not in kept]
        yield from ((day, kind, scope) for kind, scope in missing)
        missed += bool(missing)
        if missed == DAYS_AT_ONCE:
            return


def _due(
    day: date, due_since: Mapping[str, date], partners: Sequence[Partner]
) -> list[tuple[ReportKind, Partner | None]]:
    """Return the reports that are kept of a day."""
    kinds = [kind for kind in REPORTS.values() if day >= due_since[kind.name]]
    scopes = [None, *(partner for partner in partners if partner.ctime.astimezone(UTC).date() <= day)]
    return [(kind, scope) for scope in scopes for kind in kinds if scope is None or PARTNER_STAFF in kind.readers]


def _kept_counts() -> dict[date, int]:
    """Return the number of reports that are kept of each day, without those of partners that came later."""
    was_there = Q(partner=None) | Q(partner_day__lte=F("day"))
    rows = KeptReport.objects.annotate(partner_day=TruncDate("partner__ctime", tzinfo=UTC)).filter(was_there)
    return dict(rows.order_by().values_list("day").annotate(count=Count("pk")))


@transaction.atomic
def _report_keep(day: date, kind: ReportKind, scope: Partner | None) -> bool:
    advisory_lock("kept reports")
    if KeptReport.objects.filter(day=day, name=kind.name, partner=scope).exists():
        return False
    with connection.cursor() as cursor:
        # A report of a day with many rounds may take longer than a page may.
        cursor.execute("SET LOCAL statement_timeout = 0")
    report = report_of(kind=kind, period=Period(day, day), scope=scope, made_by=MADE_BY)
    body = report_file(report, FileForm.CSV)
    KeptReport.objects.create(
        name=kind.name,
        day=day,
        partner=scope,
        head=[list(pair) for pair in report.head],
        row_count=len(report.table.rows),
        body=body,
        sha256=sha256(body).hexdigest(),
    )
    return True
