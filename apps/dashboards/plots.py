"""The plots of the first page, each as the table that it is drawn from."""

from calendar import day_name
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from math import ceil
from typing import Any, Final

from django.db.models import Count
from django.db.models.functions import TruncDate

from apps.core.metrics import refusals_by_code
from apps.core.models import Currency
from apps.core.money import amount_text
from apps.core.staff_scope import AUDITOR, OPERATOR, PARTNER_STAFF, Viewer, in_scope
from apps.dashboards.bars import bars
from apps.dashboards.day_sums import (
    PlaySum,
    bets_by_hour,
    day_rows,
    hour_rows,
    players_by_day,
    sums_by_currency,
    sums_by_day,
    sums_by_game,
    sums_by_hour_of_week,
    sums_by_partner,
)
from apps.events.models import SignificantEvent
from apps.rounds.registry import game_title

PLOT_DAYS: Final = 30
CURRENCIES_PLOTTED: Final = 3
WEEK_DAYS: Final = 28
"""The days, all of them over, of which the hours of the week are."""
RATE_HOURS: Final = 48
HEATS: Final = 4
"""The classes of a heat table's cells."""


@dataclass(frozen=True, slots=True)
class DayPlot:
    """Turnover and GGR by day in a currency."""

    currency: str
    rows: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WeekHours:
    """The rounds of each hour of the week in a currency: for each weekday its name and 24 cells."""

    currency: str
    rows: list[tuple[str, list[dict[str, Any]]]]


def day_plots(viewer: Viewer, today: date) -> list[DayPlot]:
    """Return a plot for each of the currencies with the most rounds of the last days."""
    since = today - timedelta(days=PLOT_DAYS - 1)
    rows = day_rows(viewer, since=since, until=today)
    players = players_by_day(viewer, since=since, until=today)
    most = sorted(sums_by_currency(rows).values(), key=lambda each: each.rounds, reverse=True)[:CURRENCIES_PLOTTED]
    return [
        DayPlot(
            one.currency.code,
            [
                _day_texts(day, of_day, players.get((day, one.currency.code), 0))
                for day, of_day in sums_by_day(rows, since=since, until=today, currency=one.currency)
            ],
        )
        for one in most
    ]


def game_figures(viewer: Viewer, today: date) -> list[dict[str, Any]]:
    """Return turnover, GGR and hold of each game in the last days, the hold as a bar too."""
    rows = day_rows(viewer, since=today - timedelta(days=PLOT_DAYS - 1), until=today)
    found = sums_by_game(rows)
    drawn = bars([float(one.hold_pct or 0) for _, one in found])
    return [
        {"name": game_title(game), **_sum_texts(one), "bar": bar} for (game, one), bar in zip(found, drawn, strict=True)
    ]


def partner_figures(viewer: Viewer, today: date) -> list[dict[str, Any]]:
    """Return the same of each partner, the GGR as a bar among those of its currency; they are for operators."""
    if viewer.role != OPERATOR:
        return []
    rows = day_rows(viewer, since=today - timedelta(days=PLOT_DAYS - 1), until=today)
    figures = []
    for _, of_currency in groupby(sums_by_partner(rows), key=lambda pair: pair[1].currency):
        found = list(of_currency)
        for (partner, one), bar in zip(found, bars([float(one.ggr) for _, one in found]), strict=True):
            figures.append({"name": f"{partner.name} ({partner.slug})", **_sum_texts(one), "bar": bar})
    return figures


def hours_of_week(viewer: Viewer, today: date) -> WeekHours | None:
    """Return the rounds of each hour of the week in the last four weeks, in the currency with the most; for partner
    staff."""
    if viewer.role != PARTNER_STAFF:
        return None
    rows = hour_rows(viewer, since=today - timedelta(days=WEEK_DAYS), until=today - timedelta(days=1))
    by_currency = sums_by_currency(rows)
    if not by_currency:
        return None
    currency = max(by_currency.values(), key=lambda one: one.rounds).currency
    found = sums_by_hour_of_week(rows, currency)
    most = max(one.rounds for one in found.values())
    nothing = PlaySum(currency)
    return WeekHours(
        currency.code,
        [
            (name, [_hour_cell(found.get((weekday, hour), nothing), most) for hour in range(24)])
            for weekday, name in enumerate(day_name)
        ],
    )


def bets_a_second(viewer: Viewer, now: datetime) -> list[dict[str, Any]]:
    """Return the bets a second in each of the last hours that are over; for operators."""
    if viewer.role != OPERATOR:
        return []
    end = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    since = end - timedelta(hours=RATE_HOURS)
    counts = bets_by_hour(hour_rows(viewer, since=since.date(), until=end.date()))
    if not counts:
        return []
    hours = (since + timedelta(hours=number) for number in range(RATE_HOURS))
    return [
        {
            "hour": f"{hour:%Y-%m-%d %H:00}",
            "seconds": int(hour.timestamp()),
            "rate": _rate(counts.get((hour.date(), hour.hour), 0)),
        }
        for hour in hours
    ]


def _rate(bets: int | None) -> str:
    return "-" if bets is None else f"{bets / 3600:.4f}"


def refusal_figures(viewer: Viewer) -> list[dict[str, Any]]:
    """Return how often bets and actions were refused in the last hours, by code; for operators."""
    found = refusals_by_code() if viewer.role == OPERATOR else None
    if not found:
        return []
    counts = found.most_common()
    drawn = bars([float(count) for _, count in counts])
    return [{"code": code, "count": count, "bar": bar} for (code, count), bar in zip(counts, drawn, strict=True)]


def event_days(viewer: Viewer, today: date) -> list[dict[str, Any]]:
    """Return the number of significant events of each of the last days; for auditors."""
    if viewer.role != AUDITOR:
        return []
    first = datetime.combine(today - timedelta(days=PLOT_DAYS - 1), time(), UTC)
    events = in_scope(SignificantEvent.objects.filter(ctime__gte=first), viewer=viewer, partner_path="partner_id")
    by_day = events.order_by().values_list(TruncDate("ctime", tzinfo=UTC)).annotate(count=Count("pk"))
    counts = dict(by_day)
    days = (first + timedelta(days=number) for number in range(PLOT_DAYS))
    return [
        {"day": f"{day:%Y-%m-%d}", "seconds": int(day.timestamp()), "count": counts.get(day.date(), 0)} for day in days
    ]


def _hour_cell(one: PlaySum, most: int) -> dict[str, Any]:
    return {
        "rounds": one.rounds,
        "heat": f"heat-{ceil(HEATS * one.rounds / most)}" if one.rounds > 0 else "",
        "told": f"turnover {amount_text(one.stakes, one.currency)}, GGR {amount_text(one.ggr, one.currency)}",
    }


def _day_texts(day: date, one: PlaySum, players: int) -> dict[str, Any]:
    at = datetime.combine(day, time(), UTC)
    return {
        "day": day.isoformat(),
        "seconds": int(at.timestamp()),
        "stakes": _plain(one.stakes, one.currency),
        "ggr": _plain(one.ggr, one.currency),
        "hold_pct": "-" if one.hold_pct is None else f"{one.hold_pct} %",
        "rounds": one.rounds,
        "players": players,
    }


def _sum_texts(one: PlaySum) -> dict[str, Any]:
    return {
        "rounds": one.rounds,
        "stakes": amount_text(one.stakes, one.currency),
        "ggr": amount_text(one.ggr, one.currency),
        "is_loss": one.ggr < 0,
        "hold_pct": "-" if one.hold_pct is None else f"{one.hold_pct} %",
    }


def _plain(amount: Any, currency: Currency) -> str:
    return f"{amount:.{currency.decimals}f}"
