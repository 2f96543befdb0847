"""The portal's tasks for the worker: each calls one service."""

import structlog
from celery import shared_task

from apps.portal.guests import guest_close, idle_guest_ids

logger = structlog.get_logger(__name__)


@shared_task
def idle_guests_close() -> None:
    """Close the guests that have not played for long. The next run tries those again that cannot be closed now."""
    for player_id in idle_guest_ids():
        try:
            guest_close(player_id=player_id)
        except Exception:
            # A fault of one guest must not keep the others open.
            logger.exception("guest_close_failed", player=player_id)
