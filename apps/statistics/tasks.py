"""Scheduled work of `apps.statistics`."""

from celery import shared_task

from apps.statistics import services


@shared_task
def statistics_fold() -> None:
    """Add ended rounds to the statistics, and close days that are over."""
    services.statistics_fold()
