"""Scheduled work of `apps.idempotency`."""

from celery import shared_task
from django.utils import timezone

from apps.idempotency import services


@shared_task
def stored_answers_delete() -> None:
    """Delete the answers that are older than KEPT_DAYS."""
    services.stored_answers_delete(now=timezone.now())
