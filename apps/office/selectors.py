"""Queries over all games: sums over rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncDate

from apps.core.models import Currency
from apps.core.viewers import Viewer, in_scope
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import bet_count
from apps.tables.bot_rounds import without_bots

DIMENSIONS: Final = ("day", "partner", "game")
"""The dimensions of figures, beside the currency: amounts of two currencies are never added."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """Sums over rounds that ended and were not voided. Amounts are in units of the currency."""

    currency: Currency
    rounds: int
    bets: int | None
    """None if not requested: counting them reads every round's bets."""
    stakes: Decimal
    payouts: Decimal
    day: date | None = None
    partner: str | None = None
    game: str | None = None

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
    split: Sequence[str] = DIMENSIONS,
    with_bets: bool = False,
) -> list[ReportRow]:
    """Return sums over the `rounds` that started from `since` to `until`, both included, by days in UTC.

    Practice bots are not counted.
    One row for each combination of `split` (of DIMENSIONS) and the currency, in that order; newest day first.
    """
    if with_bets:
        rounds = rounds.annotate(bet_count=bet_count())
    bets = {"bets": Sum("bet_count")} if with_bets else {}
    first = datetime.combine(since, time(), UTC)
    last = datetime.combine(until, time.max, UTC)  # the day after it may be past the calendar's end
    groups = [_GROUPS[name] for name in DIMENSIONS if name in split]
    sums = (
        without_bots(rounds)
        .filter(started_at__gte=first, started_at__lte=last, void__isnull=True)
        .exclude(how_ended__in=[RoundEnd.OPEN, RoundEnd.WITHDRAWN])
        .order_by()
        .annotate(day=TruncDate("started_at", tzinfo=UTC))
        .values(*groups, "currency_id")
        .annotate(rounds=Count("id"), stakes=Sum("stake"), payouts=Sum("payout"), **bets)
        .order_by(*("-day" if name == "day" else name for name in groups), "currency_id")
    )
    currencies = Currency.objects.in_bulk()
    return [_row(entry, currencies[entry["currency_id"]]) for entry in sums]


_GROUPS: Final = {"day": "day", "partner": "partner__name", "game": "game"}


def _row(entry: dict[str, Any], currency: Currency) -> ReportRow:
    return ReportRow(
        currency=currency,
        rounds=entry["rounds"],
        bets=entry.get("bets"),
        stakes=entry["stakes"],
        payouts=entry["payouts"],
        day=entry.get("day"),
        partner=entry.get("partner__name"),
        game=entry.get("game"),
    )
