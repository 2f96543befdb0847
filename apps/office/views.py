"""Pages of the back office that do not belong to one table: reports, replays, reconciliation."""

from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from apps.accounts.selectors import log_in_of
from apps.audit.services import audit_record
from apps.core.admin import MAX_ROWS_IN_MEMORY, PRINT_FORM, viewer_of
from apps.core.errors import BadRequest
from apps.core.export_limit import one_export_at_a_time
from apps.core.exports import FileForm, file_headers
from apps.core.money import amount_text
from apps.core.query_parameters import checks_query, query_check, takes_query
from apps.core.staff_scope import sees_all_partners
from apps.office.forms import KeptReportsForm, ReportForm, report_defaults
from apps.office.kept_reports import kept_reports
from apps.office.nightly_proof import (
    may_reconcile,
    proof_is_short,
    proof_send,
    reconciliation_list,
    reconciliation_run,
)
from apps.office.replay import round_replay
from apps.office.report_lines import table_lines
from apps.office.reports import REPORTS, ReportKind, report_kinds, report_make
from apps.office.selectors import round_list
from apps.office.table_replay import seat_asked, table_round_of, table_round_replay, table_round_voids
from apps.partners.models import Partner
from apps.reports.document import Report
from apps.reports.period import Period
from apps.reports.render import report_file
from apps.rounds.registry import game_title
from apps.rounds.selectors import round_explain

KEPT_SHOWN: Final = 500
ROWS_SHOWN: Final = 1_000
"""The most rows of a report on its page."""
MAX_FILE_ROWS: Final = {FileForm.CSV.value: 100_000, FileForm.JSON_LINES.value: 100_000} | MAX_ROWS_IN_MEMORY
"""The most rows of a report's files and of its print sheet. A report is made in memory: of 400,000 rows a file takes
0.5 to 0.7 GB, and a print sheet 1.8 GB."""


def reports(request: HttpRequest) -> HttpResponse:
    """The list of the reports that the viewer may see."""
    context = {
        **admin.site.each_context(request),
        "title": "Reports",
        "reports": report_kinds(viewer_of(request)),
    }
    return TemplateResponse(request, "office/reports.html", context)


@checks_query
def reports_kept(request: HttpRequest) -> HttpResponse:
    """The reports that were kept each night, the newest first, or those of one day, kind or partner."""
    viewer = viewer_of(request)
    form = KeptReportsForm(
        request.GET, viewer=viewer, reports=[(kind.name, kind.title) for kind in report_kinds(viewer)]
    )
    query_check(request.GET, form.fields)
    wanted: dict[str, Any] = {}
    if form.is_valid():
        data = form.cleaned_data
        wanted = {"day": data["day"], "name": data["report"], "partner": data.get("partner")}
    rows = kept_reports(viewer).filter(**{name: value for name, value in wanted.items() if value}).defer("body")
    context = {
        **admin.site.each_context(request),
        "title": "Kept reports",
        "form": form,
        "kept": [(row, REPORTS[row.name].title) for row in rows[:KEPT_SHOWN]] if form.is_valid() else [],
        "is_chosen": any(wanted.values()),
        "most": KEPT_SHOWN,
    }
    return TemplateResponse(request, "office/reports_kept.html", context, status=200 if form.is_valid() else 400)


@checks_query
def report_kept(request: HttpRequest, kept_id: int) -> HttpResponse:
    """One kept report as its original file. Each download is an audit entry."""
    query_check(request.GET, [])
    row = kept_reports(viewer_of(request)).filter(pk=kept_id).first()
    if row is None:
        raise Http404
    user = log_in_of(request)
    with transaction.atomic():
        audit_record(
            actor=user.get_username(),
            actor_user_id=user.pk,
            action="report.export",
            subject=f"kept report {row}",
            partner_id=row.partner_id,
            data={"report": row.name, "day": row.day, "sha256": row.sha256},
        )
    headers = file_headers(_file_name(row.name, Period(row.day, row.day), row.partner), FileForm.CSV)
    return HttpResponse(bytes(row.body), content_type=FileForm.CSV.content_type, headers=headers)


@checks_query
def report(request: HttpRequest, name: str) -> HttpResponse:
    """One report as a page."""
    return _report_page(request, name, "office/report.html", most=ROWS_SHOWN)


@checks_query
@one_export_at_a_time
def report_print(request: HttpRequest, name: str) -> HttpResponse:
    """One report as a sheet to be printed. It is an export, so an audit entry."""
    return _report_page(request, name, "office/report_print.html", is_export=True)


@checks_query
@one_export_at_a_time
def report_export(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """One report as a file. Each export is an audit entry."""
    kind, asked = _report_asked(request, name)
    if form not in {each.value for each in FileForm}:
        raise Http404
    if not asked.is_valid():
        return HttpResponse(asked.errors.as_text(), status=400, content_type="text/plain; charset=utf-8")
    made = _report_made_whole(request, kind, asked, form)
    body = report_file(made, FileForm(form))
    _export_record(request, made, asked, form, sha256(body).hexdigest())
    headers = file_headers(_file_name(made.name, asked.cleaned_data["period"], _scope(request, asked)), FileForm(form))
    return HttpResponse(body, content_type=FileForm(form).content_type, headers=headers)


def replay(request: HttpRequest, round_id: UUID) -> HttpResponse:
    """One round, step by step, dealt again from its seeds."""
    row = (
        round_list(viewer=viewer_of(request))
        .select_related("player", "partner", "currency", "seed_pair", "void")
        .filter(pk=round_id)
        .first()
    )
    if row is None:
        raise Http404
    context = {
        **admin.site.each_context(request),
        "title": f"Replay of round {str(row.pk)[:8]}",
        "round": row,
        "void": getattr(row, "void", None),
        "game": game_title(row.game),
        "stake": amount_text(row.stake, row.currency),
        "payout": amount_text(row.payout, row.currency),
        "source": round_explain(row).source,
        "replay": round_replay(row),
    }
    return TemplateResponse(request, "office/replay.html", context)


@takes_query("seat")
def table_replay(request: HttpRequest, round_id: UUID) -> HttpResponse:
    """One round of a table, step by step, as the table has it or from the view of one seat."""
    row = table_round_of(viewer_of(request), round_id)
    if row is None:
        raise Http404
    replayed = table_round_replay(row, seat_asked(request.GET.get("seat")))
    context = {
        **admin.site.each_context(request),
        "title": f"Replay of round {row.number} of {row.table}",
        "round": row,
        "voids": table_round_voids(row),
        "replay": replayed,
    }
    return TemplateResponse(request, "office/table_replay.html", context)


def reconcile(request: HttpRequest) -> HttpResponse:
    """Prove the ledger again, and show the findings of the last proofs. A worker proves a long ledger."""
    if not may_reconcile(request.user):
        raise PermissionDenied
    if request.method == "POST":
        if proof_is_short(user=log_in_of(request)):
            reconciliation_run(user=log_in_of(request))
            messages.success(request, "The ledger was checked: see the newest line.")
        elif proof_send(user=log_in_of(request)):
            messages.info(request, "A worker checks the ledger: load this page again in a while.")
        else:
            messages.info(request, "A worker checks the ledger already: load this page again in a while.")
        return HttpResponseRedirect(reverse("admin:reconcile"))
    user = log_in_of(request)
    context = {
        **admin.site.each_context(request),
        "title": "Reconciliation",
        "runs": reconciliation_list(viewer=user),
        "partner": None if sees_all_partners(user) else user.partner,
    }
    return TemplateResponse(request, "office/reconcile.html", context)


def _report_page(
    request: HttpRequest, name: str, template: str, *, is_export: bool = False, most: int | None = None
) -> HttpResponse:
    kind, form = _report_asked(request, name)
    viewer = viewer_of(request)
    made = None
    if form.is_valid() and is_export:
        made = _report_made_whole(request, kind, form, PRINT_FORM)
        _export_record(request, made, form, PRINT_FORM)
    elif form.is_valid():
        made = _report_made(request, kind, form, most)
    context = {
        **admin.site.each_context(request),
        "title": kind.title,
        "kind": kind,
        "form": form,
        "report": made,
        "lines": [] if made is None else list(table_lines(made.table, made.table.rows[:most], viewer=viewer)),
        "totals": [] if made is None else list(table_lines(made.table, made.table.totals, viewer=viewer)),
        "shown": most if made is not None and most is not None and made.table.row_count > most else None,
        "forms": list(FileForm),
        "file_rows": MAX_FILE_ROWS,
        "query": request.GET.urlencode(),
    }
    return TemplateResponse(request, template, context, status=200 if form.is_valid() else 400)


def _report_asked(request: HttpRequest, name: str) -> tuple[ReportKind, ReportForm]:
    """Return the report and its form, with the query. A report that the viewer may not see does not exist for them."""
    kind = next((each for each in report_kinds(viewer_of(request)) if each.name == name), None)
    if kind is None:
        raise Http404
    form = ReportForm(request.GET or report_defaults(), viewer=log_in_of(request))
    query_check(request.GET, form.fields.keys())
    return kind, form


def _file_name(report: str, period: Period, partner: Partner | None) -> str:
    """Return the name of a report's file: report, partner, and first and last day."""
    days = [period.first] if period.first == period.last else [period.first, period.last]
    return "-".join(map(str, (report, partner.slug if partner else "all", *days)))


def _scope(request: HttpRequest, asked: ReportForm) -> Partner | None:
    """Return the partner whose report is asked for; None is all of them."""
    user = log_in_of(request)
    partner: Partner | None = asked.cleaned_data.get("partner")
    return partner if sees_all_partners(user) else user.partner


def _report_made_whole(request: HttpRequest, kind: ReportKind, form: ReportForm, file_form: str) -> Report:
    """Make a report with all its rows. Raises BadRequest if a file of this form does not take them."""
    most = MAX_FILE_ROWS[file_form]
    made = _report_made(request, kind, form, most)
    if made.table.row_count > most:
        less = "fewer days" if "partner" not in form.fields else "fewer days or one partner"
        others = ", or export it as CSV or JSON lines" if most < MAX_FILE_ROWS[FileForm.CSV.value] else ""
        raise BadRequest(
            f"the report has {made.table.row_count:,} rows, and this form takes {most:,}: choose {less}{others}"
        )
    return made


def _report_made(request: HttpRequest, kind: ReportKind, form: ReportForm, most: int | None = None) -> Report:
    asked = form.cleaned_data
    viewer, partner = log_in_of(request), asked.get("partner")
    return report_make(kind=kind, viewer=viewer, period=asked["period"], partner=partner, most=most)


def _export_record(request: HttpRequest, made: Report, asked: ReportForm, form: str, digest: str = "") -> None:
    """Write the export of a report into the audit, with the digest of its file."""
    user = log_in_of(request)
    partner = asked.cleaned_data.get("partner")
    told = {**dict(made.head), "form": form, "rows": len(made.table.rows)}
    with transaction.atomic():
        audit_record(
            actor=user.get_username(),
            actor_user_id=user.pk,
            action="report.export",
            subject=f"report {made.name}",
            partner_id=partner.pk if partner else user.partner_id,
            data=told | {"sha256": digest} if digest else told,
        )
