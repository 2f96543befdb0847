"""The first page: tiles and plots of the viewer's role, and rows that wait for a confirmation."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from apps.core.admin import viewer_of
from apps.core.staff_scope import PARTNER_STAFF, Viewer, in_scope, sees_all_partners
from apps.dashboards.evidence_plots import FUNNEL_DAYS, evidence_rows, laws_evidence, worst_funnel
from apps.dashboards.partner_setup import missing_count, setup_steps
from apps.dashboards.plots import (
    PLOT_DAYS,
    bets_a_second,
    day_plots,
    event_days,
    game_figures,
    hours_of_week,
    partner_figures,
    refusal_figures,
)
from apps.dashboards.tile import Tile
from apps.dashboards.tiles import tiles_of
from apps.partners.models import Partner
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
    plots = day_plots(viewer, today)
    waiting = [row for game in games() for row in game.waiting(viewer)]
    return context | {
        "title": "Back office",
        "set_up": None if plots else _set_up_missing(viewer),
        "tiles": [*tiles_of(viewer), *_waiting_tiles(viewer, len(waiting))],
        "plots": plots,
        "by_game": game_figures(viewer, today),
        "by_partner": partner_figures(viewer, today),
        "week": hours_of_week(viewer, today),
        "rates": bets_a_second(viewer, now),
        "refusals": refusal_figures(viewer),
        "event_days": event_days(viewer, today),
        "laws": evidence_rows(laws),
        "is_watch": sees_all_partners(viewer),
        "funnel": worst_funnel(viewer, laws, today),
        "funnel_days": FUNNEL_DAYS,
        "waiting": waiting,
        "unplayable": [row for game in games() for row in game.unplayable(viewer)],
        "days": PLOT_DAYS,
        "open_tables": open_tables,
        "seats_taken": seats_taken,
    }


def _set_up_missing(viewer: Viewer) -> tuple[int, str] | None:
    """Return how many steps of the set-up are missing for staff of a partner without play, and the page of it."""
    if viewer.role != PARTNER_STAFF or viewer.partner_id is None:
        return None
    missing = missing_count(setup_steps(Partner.objects.get(pk=viewer.partner_id)))
    return (missing, reverse("admin:partner_setup", args=[viewer.partner_id])) if missing else None


def _waiting_tiles(viewer: Viewer, count: int) -> list[Tile]:
    """Return the tile of pending odds and rules for staff of a partner; it leads to their list on the page."""
    if viewer.role != PARTNER_STAFF:
        return []
    note = "for an operator's confirmation" if count else "none waits"
    return [Tile("Pending odds", str(count), note, f"{reverse('admin:index')}#waiting")]
