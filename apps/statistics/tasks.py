"""Scheduled work of `apps.statistics`."""

from celery import shared_task

from apps.core.task_limits import LONG_TASK_S
from apps.statistics import services


@shared_task(time_limit=LONG_TASK_S)
def statistics_fold() -> None:
    """Add ended rounds to the statistics, and close days that are over."""
    services.statistics_fold()
