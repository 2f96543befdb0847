"""The first page: recent play, and rows that wait for a confirmation."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest

from apps.core.admin import viewer_of
from apps.core.viewers import in_scope
from apps.office.figures import row_texts
from apps.office.selectors import report_rows, round_list
from apps.rounds.registry import games
from apps.tables.models import GameTable
from apps.tables.office_parts import open_tables_count

DAYS = 7


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the figures of the last seven days and the rows that wait for a confirmation, within the viewer's scope."""
    viewer = viewer_of(request)
    today = datetime.now(UTC).date()
    rows = report_rows(round_list(viewer=viewer), since=today - timedelta(days=DAYS - 1), until=today, split=("game",))
    open_tables, seats_taken = open_tables_count(
        in_scope(GameTable.objects.all(), viewer=viewer, partner_path="partner_id")
    )
    return context | {
        "title": "Back office",
        "headers": ["game"],
        "figures": [row_texts(row, ["game"]) for row in rows],
        "waiting": [row for game in games() for row in game.waiting(viewer)],
        "unplayable": [row for game in games() for row in game.unplayable(viewer)],
        "days": DAYS,
        "open_tables": open_tables,
        "seats_taken": seats_taken,
    }
