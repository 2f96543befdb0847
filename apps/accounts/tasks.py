"""Scheduled work of `apps.accounts`."""

from celery import shared_task
from django.utils import timezone

from apps.accounts import expired_sessions


@shared_task
def expired_sessions_delete() -> None:
    """Delete the sessions of browsers that have expired."""
    expired_sessions.expired_sessions_delete(now=timezone.now())
