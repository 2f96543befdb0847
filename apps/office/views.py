"""Pages of the back office that do not belong to one table: reports, replays, reconciliation."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from apps.accounts.selectors import log_in_of
from apps.core.admin import viewer_of
from apps.core.listing import csv_response
from apps.core.money import amount_text, plain
from apps.core.query import checks_query, query_check, takes_query
from apps.core.viewers import sees_all_partners
from apps.office.figures import row_texts
from apps.office.forms import ReportForm, report_defaults
from apps.office.reconciliation import may_reconcile, proof_is_short, reconciliation_list, reconciliation_run
from apps.office.replay import round_replay
from apps.office.selectors import DIMENSIONS, ReportRow, report_rows, report_totals, round_list
from apps.office.table_replay import seat_asked, table_round_of, table_round_replay, table_round_voids
from apps.office.tasks import ledger_reconcile
from apps.rounds.registry import game_title
from apps.rounds.selectors import round_explain

COLUMNS = (
    "day", "partner", "partner_name", "game", "currency", "rounds", "bets", "stakes", "payouts", "ggr", "hold_pct",
    "voided_rounds", "voided_stakes", "voided_payouts",
)  # fmt: skip
"""`partner` is the slug, which is unique and never changes."""


@checks_query
def report(request: HttpRequest) -> HttpResponse:
    """Rounds, stakes, payouts, GGR and hold, by day, partner, game and currency."""
    form = _report_form(request)
    rows = _report_rows(request, form) if form.is_valid() else []
    split = [name for name in DIMENSIONS if not form.is_valid() or name in form.cleaned_data["split"]]
    context = {
        **admin.site.each_context(request),
        "title": "Reports",
        "form": form,
        "headers": split,
        "rows": [row_texts(row, split) for row in rows],
        "totals": [row_texts(row, ()) for row in report_totals(rows)],
        "query": request.GET.urlencode(),
    }
    return TemplateResponse(request, "office/report.html", context, status=200 if form.is_valid() else 400)


@checks_query
def report_export(request: HttpRequest) -> HttpResponseBase:
    """The report as CSV."""
    form = _report_form(request)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), status=400, content_type="text/plain; charset=utf-8")
    lines: list[list[object]] = [list(COLUMNS), *(_cells(row) for row in _report_rows(request, form))]
    return csv_response(request, name="report", lines=lines)


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
        else:
            ledger_reconcile.delay(request.user.pk)
            messages.info(request, "A worker checks the ledger: load this page again in a while.")
        return HttpResponseRedirect(reverse("admin:reconcile"))
    user = log_in_of(request)
    context = {
        **admin.site.each_context(request),
        "title": "Reconciliation",
        "runs": reconciliation_list(viewer=user),
        "partner": None if sees_all_partners(user) else user.partner,
    }
    return TemplateResponse(request, "office/reconcile.html", context)


def _report_form(request: HttpRequest) -> ReportForm:
    form = ReportForm(request.GET or report_defaults(datetime.now(UTC).date()), viewer=viewer_of(request))
    query_check(request.GET, form.fields.keys(), repeatable={"split"})
    return form


def _report_rows(request: HttpRequest, form: ReportForm) -> list[ReportRow]:
    asked = form.cleaned_data
    rounds = round_list(viewer=viewer_of(request))
    for name in ("partner", "game", "currency"):
        if asked.get(name):
            rounds = rounds.filter(**{name: asked[name]})
    return report_rows(rounds, since=asked["since"], until=asked["until"], split=asked["split"], with_bets=True)


def _cells(row: ReportRow) -> list[object]:
    return [
        row.day or "",
        "" if row.partner is None else row.partner.slug,
        "" if row.partner is None else row.partner.name,
        row.game or "",
        row.currency.code,
        row.rounds,
        row.bets,
        plain(row.stakes),
        plain(row.payouts),
        plain(row.ggr),
        row.hold_pct,
        row.voided,
        plain(row.voided_stakes),
        plain(row.voided_payouts),
    ]
