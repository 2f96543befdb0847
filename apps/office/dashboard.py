"""The first page: what was played, and what waits for somebody."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest

from apps.baccarat.models import BaccaratOddsConfig, ConfigStatus
from apps.blackjack.models import BlackjackTerms, TermsStatus
from apps.core.admin import viewer_of
from apps.core.viewers import in_scope
from apps.office.figures import row_texts
from apps.office.selectors import report_rows, round_list

DAYS = 7


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the figures of the last seven days and the rows that wait for a confirmation, within the viewer's scope."""
    viewer = viewer_of(request)
    today = datetime.now(UTC).date()
    rows = report_rows(round_list(viewer=viewer), since=today - timedelta(days=DAYS - 1), until=today, split=("game",))
    odds = in_scope(
        BaccaratOddsConfig.objects.filter(status=ConfigStatus.PENDING).select_related("baccarat_config__partner"),
        viewer=viewer,
        partner_path="baccarat_config__partner_id",
    )
    terms = in_scope(
        BlackjackTerms.objects.filter(status=TermsStatus.PENDING).select_related("config__partner"),
        viewer=viewer,
        partner_path="config__partner_id",
    )
    return context | {
        "title": "Back office",
        "headers": ["game"],
        "figures": [row_texts(row, ["game"]) for row in rows],
        "pending_odds": odds[:20],
        "pending_terms": terms[:20],
        "days": DAYS,
    }
