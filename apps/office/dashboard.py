"""The first page: tiles and plots of the viewer's role, and rows that wait for a confirmation."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest

from apps.core.admin import viewer_of
from apps.core.viewers import in_scope
from apps.dashboards.plots import PLOT_DAYS, day_plots, game_figures, partner_figures
from apps.dashboards.tiles import tiles_of
from apps.rounds.registry import games
from apps.tables.models import GameTable
from apps.tables.office_parts import open_tables_count


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what the viewer's role works with, within its scope. All sums are of the statistics' day rows."""
    viewer = viewer_of(request)
    today = datetime.now(UTC).date()
    open_tables, seats_taken = open_tables_count(
        in_scope(GameTable.objects.all(), viewer=viewer, partner_path="partner_id")
    )
    return context | {
        "title": "Back office",
        "tiles": tiles_of(viewer),
        "plots": day_plots(viewer, today),
        "by_game": game_figures(viewer, today),
        "by_partner": partner_figures(viewer, today),
        "waiting": [row for game in games() for row in game.waiting(viewer)],
        "unplayable": [row for game in games() for row in game.unplayable(viewer)],
        "days": PLOT_DAYS,
        "open_tables": open_tables,
        "seats_taken": seats_taken,
    }
