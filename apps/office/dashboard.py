"""The first page: tiles and plots of the viewer's role, and rows that wait for a confirmation."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest

from apps.core.admin import viewer_of
from apps.core.viewers import in_scope, sees_all_partners
from apps.dashboards.evidence_plots import FUNNEL_DAYS, evidence_rows, laws_evidence, worst_funnel
from apps.dashboards.plots import (
    PLOT_DAYS,
    day_plots,
    event_days,
    game_figures,
    hours_of_week,
    partner_figures,
    refusal_figures,
    rounds_a_second,
)
from apps.dashboards.tiles import tiles_of
from apps.rounds.registry import games
from apps.tables.models import GameTable
from apps.tables.office_parts import open_tables_count


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the tiles, plots and pending rows of the viewer's role, within its scope. All sums are from the statistics'
    days and hours."""
    viewer = viewer_of(request)
    now = datetime.now(UTC)
    today = now.date()
    laws = laws_evidence(viewer, today)
    open_tables, seats_taken = open_tables_count(
        in_scope(GameTable.objects.all(), viewer=viewer, partner_path="partner_id")
    )
    return context | {
        "title": "Back office",
        "tiles": tiles_of(viewer),
        "plots": day_plots(viewer, today),
        "by_game": game_figures(viewer, today),
        "by_partner": partner_figures(viewer, today),
        "week": hours_of_week(viewer, today),
        "rates": rounds_a_second(viewer, now),
        "refusals": refusal_figures(viewer),
        "event_days": event_days(viewer, today),
        "laws": evidence_rows(laws),
        "is_watch": sees_all_partners(viewer),
        "funnel": worst_funnel(viewer, laws, today),
        "funnel_days": FUNNEL_DAYS,
        "waiting": [row for game in games() for row in game.waiting(viewer)],
        "unplayable": [row for game in games() for row in game.unplayable(viewer)],
        "days": PLOT_DAYS,
        "open_tables": open_tables,
        "seats_taken": seats_taken,
    }
