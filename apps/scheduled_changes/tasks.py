"""Scheduled work of `apps.scheduled_changes`."""

import structlog
from celery import shared_task
from django.utils import timezone

from apps.core.errors import TryLater
from apps.scheduled_changes.selectors import change_due
from apps.scheduled_changes.services import change_carry_out

logger = structlog.get_logger(__name__)


@shared_task
def scheduled_changes_carry_out() -> None:
    """Carry out due changes in the order of their times. The next run retries changes that cannot be made now."""
    tried: set[int] = set()
    while (change_id := change_due(now=timezone.now(), left_out=tried)) is not None:
        tried.add(change_id)
        try:
            change_carry_out(change_id=change_id)
        except TryLater as refusal:
            logger.warning("scheduled_change_waits", change=change_id, error=refusal.code)
        except Exception:
            # A fault of one change must not delay the others.
            logger.exception("scheduled_change_failed", change=change_id)
