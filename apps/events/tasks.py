"""Scheduled work of `apps.events`."""

from celery import shared_task

from apps.events import watch


@shared_task
def events_watch() -> None:
    """Look for clocks that disagree, the owner's log-in, and time without checks."""
    watch.events_watch()
