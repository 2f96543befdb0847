"""The reports of the back office: their list, and how each is made for a viewer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from apps.accounts.models import User
from apps.build.services import build_id
from apps.core.staff_scope import AUDITOR, OFFICE_ROLES, OPERATOR, Viewer, sees_all_partners
from apps.partners.models import Partner
from apps.reports.document import Cell, Report, Table, amounts, cell_text, numbers, texts
from apps.reports.events_and_exclusions import alterations, exclusions, interrupted, large_wins, staff_accesses
from apps.reports.liability import liability
from apps.reports.period import Period
from apps.reports.play import game_performance, players
from apps.reports.query import Wanted
from apps.rounds.registry import game_title
from apps.statistics.ggr import Revenue, revenue_sums, revenue_totals
from apps.statistics.models import GameDay

_OVERSIGHT: Final = frozenset({AUDITOR, OPERATOR})


@dataclass(frozen=True, slots=True)
class ReportKind:
    """One report: its name in addresses and files, its title, and the function that makes its rows."""

    name: str
    title: str
    note: str
    make: Callable[[Wanted], Table]
    readers: frozenset[str] = OFFICE_ROLES


def summary(wanted: Wanted) -> Table:
    """Return the sums of rounds by day, partner, game and currency, the newest day first, and totals by currency."""
    period = wanted.period
    rows = GameDay.objects.filter(zone=period.zone, period__gte=period.first, period__lte=period.last)
    if wanted.partner_id is not None:
        rows = rows.filter(partner=wanted.partner_id)
    partners = Partner.objects.in_bulk()
    found = revenue_sums(rows, ("period", "partner_id", "game"))
    found.sort(key=lambda row: (-_day_of(row).toordinal(), partners[row.partner_id or 0].name, row.game, row.currency))
    columns = (
        *texts("day", "partner", "partner_name", "game", "currency"),
        *numbers("rounds", "bets"),
        *amounts("stakes", "payouts", "ggr"),
        *numbers("hold_pct", "voided_rounds"),
        *amounts("voided_stakes", "voided_payouts"),
    )
    totals = [["total", None, None, None, *_sums(row)] for row in revenue_totals(found)]
    return Table(columns, [[*_keys(row, partners), *_sums(row)] for row in found], totals)


REPORTS: Final = {
    report.name: report
    for report in (
        ReportKind(
            "summary",
            "Summary",
            "Rounds on the day they ended, from the statistics, without those that were voided on the day; voided"
            " rounds are in columns of their own. Bets include those of voided rounds. GGR is stakes minus payouts;"
            " hold is GGR of stakes. Practice bots are not counted.",
            summary,
        ),
        ReportKind(
            "game-performance",
            "Game performance",
            "Bets by pay table and kind, on the day their round ended. The actual RTP is within its half-width of the"
            " true one in 95 of 100 cases. A round voided later is in the columns of voids on the day of the void."
            " A bet's name leads to its rounds. Status and open rounds are those of the period's end, or of now"
            " if it is not over. Free rounds have no stake, and no game takes a commission beside its odds.",
            game_performance,
        ),
        ReportKind(
            "players",
            "Players",
            "Play by player, currency and game, and the movements of each wallet. Funds in are deposits and refills.",
            players,
        ),
        ReportKind(
            "liability",
            "Liability and trial balance",
            "The debt of each partner to its players, as the trial balance of each house account, from the sums of its"
            " days. The sum of wallets is computed from their balances, so the difference shows any fault of either. A"
            " day that is not over ends where the statistics are complete. Open stakes are those of the period's end,"
            " or of now if it is not over.",
            liability,
        ),
        ReportKind(
            "large-wins",
            "Large wins",
            "Rounds that ended in this period and won so much that they are significant events. The multiple won is"
            " payout less stake, in stakes, as the threshold counts it.",
            large_wins,
        ),
        ReportKind(
            "interrupted",
            "Interrupted games",
            "Rounds that were open at the period's end, or are open now if it is not over, and rounds that the platform"
            " played to their end in this period. Practice bots are left out.",
            interrupted,
        ),
        ReportKind("alterations", "Alterations", "Significant events that changed something.", alterations, _OVERSIGHT),
        ReportKind(
            "exclusions",
            "Exclusions",
            "Blocks of players that applied in this period. An idle guest's close is listed when it happened, and when"
            " it was lifted.",
            exclusions,
        ),
        ReportKind(
            "staff",
            "Staff access",
            "Log-ins of staff, failures, refused pages, opened pages with a person's data, and exports. Acts are in the"
            " audit entries.",
            staff_accesses,
            _OVERSIGHT,
        ),
    )
}


def report_kinds(viewer: Viewer) -> list[ReportKind]:
    """Return the reports that the viewer may see."""
    return [kind for kind in REPORTS.values() if viewer.role in kind.readers]


def report_make(
    *, kind: ReportKind, viewer: User, period: Period, partner: Partner | None, most: int | None = None
) -> Report:
    """Make a report of one partner, or of all for a viewer who sees them. With `most` only its first rows are read."""
    scope = partner if sees_all_partners(viewer) else viewer.partner
    return report_of(kind=kind, period=period, scope=scope, made_by=viewer.get_username(), most=most)


def report_of(
    *, kind: ReportKind, period: Period, scope: Partner | None, made_by: str, most: int | None = None
) -> Report:
    """Make a report of one partner, or of all, without a viewer."""
    table = kind.make(Wanted(period, None if scope is None else scope.pk, most))
    head = [
        ("operator", _operator()),
        ("title", kind.title),
        ("scope", "all partners" if scope is None else f"{scope.name} ({scope.slug})"),
        ("period", str(period)),
        ("made_at", f"{cell_text(datetime.now(UTC))} UTC"),
        ("made_by", made_by),
        ("build", build_id()),
    ]
    return Report(kind.name, kind.title, kind.note, head, table)


def _operator() -> str:
    house = Partner.objects.filter(is_house=True).order_by("pk").first()
    return "Punto" if house is None else house.name


def _day_of(row: Revenue) -> date:
    assert row.day is not None
    return row.day


def _keys(row: Revenue, partners: Mapping[int, Partner]) -> list[Cell]:
    partner = partners[row.partner_id or 0]
    return [row.day, partner.slug, partner.name, game_title(row.game or "")]


def _sums(row: Revenue) -> list[Cell]:
    return [
        row.currency, row.rounds - row.voided_rounds, row.bets, row.stakes - row.voided_stakes,
        row.payouts - row.voided_payouts, row.ggr, row.hold_pct, row.voided_rounds, row.voided_stakes,
        row.voided_payouts,
    ]  # fmt: skip
