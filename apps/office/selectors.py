"""Queries over all games: sums over rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from apps.core.models import Currency
from apps.core.viewers import Viewer, in_scope
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import bet_count
from apps.tables.bot_rounds import without_bots

DIMENSIONS: Final = ("day", "partner", "game")
"""The dimensions of figures, beside the currency: amounts of two currencies are never added."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """Sums over rounds that ended; those that were voided are apart. Amounts are in units of the currency."""

    currency: Currency
    rounds: int
    bets: int | None
    """None if not requested: counting them reads every round's bets."""
    stakes: Decimal
    payouts: Decimal
    day: date | None = None
    partner: Partner | None = None
    game: str | None = None
    voided: int = 0
    """Rounds that were voided, played before or not: their stakes went back, their payouts were taken back."""
    voided_stakes: Decimal = Decimal(0)
    voided_payouts: Decimal = Decimal(0)

    @property
    def ggr(self) -> Decimal:
        """Gross gaming revenue: stakes minus payouts."""
        return self.stakes - self.payouts

    @property
    def hold_pct(self) -> Decimal:
        """GGR as a percentage of the stakes."""
        return (100 * self.ggr / self.stakes).quantize(Decimal("0.01")) if self.stakes else Decimal(0)


def round_list(*, viewer: Viewer) -> "QuerySet[Round]":
    """Return the rounds that the viewer may see."""
    return in_scope(Round.objects.all(), viewer=viewer, partner_path="partner_id")


def report_rows(
    rounds: "QuerySet[Round]",
    *,
    since: date,
    until: date,
    zone: tzinfo = UTC,
    split: Sequence[str] = DIMENSIONS,
    with_bets: bool = False,
) -> list[ReportRow]:
    """Return sums over the `rounds` that started from `since` to `until`, both included, by days in the time zone.

    Practice bots are not counted.
    One row for each combination of `split` (of DIMENSIONS) and the currency, in that order; newest day first.
    """
    counted = Q(void__isnull=True)
    if with_bets:
        rounds = rounds.annotate(bet_count=bet_count())
    bets = {"bets": Coalesce(Sum("bet_count", filter=counted), 0)} if with_bets else {}
    first = datetime.combine(since, time(), zone)
    last = datetime.combine(until, time.max, zone)  # the day after it may be past the calendar's end
    groups = [_GROUPS[name] for name in DIMENSIONS if name in split]
    order = {"day": "-day", "partner_id": "partner__name"}
    sums = (
        without_bots(rounds)
        .filter(started_at__gte=first, started_at__lte=last)
        .exclude(how_ended__in=[RoundEnd.OPEN, RoundEnd.WITHDRAWN])
        .order_by()
        .annotate(day=TruncDate("started_at", tzinfo=zone))
        .values(*groups, "currency_id")
        .annotate(
            rounds=Count("id", filter=counted),
            stakes=_sum("stake", counted),
            payouts=_sum("payout", counted),
            voided=Count("id", filter=~counted),
            voided_stakes=_sum("stake", ~counted),
            voided_payouts=_sum("payout", ~counted),
            **bets,
        )
        .order_by(*(order.get(name, name) for name in groups), *groups, "currency_id")
    )
    currencies, partners = Currency.objects.in_bulk(), Partner.objects.in_bulk()
    return [_row(entry, currencies, partners) for entry in sums]


def report_totals(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """Return the sums of the rows, one for each currency, in the order of their codes."""
    by_code: dict[str, list[ReportRow]] = {}
    for row in rows:
        by_code.setdefault(row.currency.code, []).append(row)
    return [_total(same) for _, same in sorted(by_code.items())]


_GROUPS: Final = {"day": "day", "partner": "partner_id", "game": "game"}


def _sum(column: str, counted: Q) -> Coalesce:
    return Coalesce(Sum(column, filter=counted), Decimal(0))


def _total(rows: Sequence[ReportRow]) -> ReportRow:
    bets = [row.bets for row in rows if row.bets is not None]
    return ReportRow(
        currency=rows[0].currency,
        rounds=sum(row.rounds for row in rows),
        bets=sum(bets) if bets else None,
        stakes=sum((row.stakes for row in rows), Decimal(0)),
        payouts=sum((row.payouts for row in rows), Decimal(0)),
        voided=sum(row.voided for row in rows),
        voided_stakes=sum((row.voided_stakes for row in rows), Decimal(0)),
        voided_payouts=sum((row.voided_payouts for row in rows), Decimal(0)),
    )


def _row(entry: dict[str, Any], currencies: Mapping[str, Currency], partners: Mapping[int, Partner]) -> ReportRow:
    return ReportRow(
        currency=currencies[entry["currency_id"]],
        rounds=entry["rounds"],
        bets=entry.get("bets"),
        stakes=entry["stakes"],
        payouts=entry["payouts"],
        day=entry.get("day"),
        partner=partners[entry["partner_id"]] if "partner_id" in entry else None,
        game=entry.get("game"),
        voided=entry["voided"],
        voided_stakes=entry["voided_stakes"],
        voided_payouts=entry["voided_payouts"],
    )
