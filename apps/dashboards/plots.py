"""The plots of the first page, each as the table that it is drawn from."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from apps.core.models import Currency
from apps.core.money import amount_text
from apps.core.viewers import OPERATOR, Viewer
from apps.dashboards.day_sums import (
    PlaySum,
    day_rows,
    players_by_day,
    sums_by_currency,
    sums_by_day,
    sums_by_game,
    sums_by_partner,
)
from apps.rounds.registry import game_title

PLOT_DAYS: Final = 30
CURRENCIES_PLOTTED: Final = 3


@dataclass(frozen=True, slots=True)
class DayPlot:
    """Turnover and GGR by day in a currency."""

    currency: str
    rows: list[dict[str, Any]]


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
    """Return turnover, GGR and hold of each game in the last days."""
    rows = day_rows(viewer, since=today - timedelta(days=PLOT_DAYS - 1), until=today)
    return [{"name": game_title(game), **_sum_texts(one)} for game, one in sums_by_game(rows)]


def partner_figures(viewer: Viewer, today: date) -> list[dict[str, Any]]:
    """Return the same of each partner; they are for operators."""
    if viewer.role != OPERATOR:
        return []
    rows = day_rows(viewer, since=today - timedelta(days=PLOT_DAYS - 1), until=today)
    return [{"name": f"{partner.name} ({partner.slug})", **_sum_texts(one)} for partner, one in sums_by_partner(rows)]


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
