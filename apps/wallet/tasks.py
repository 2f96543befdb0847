"""Scheduled work of `apps.wallet`."""

from datetime import UTC, timedelta

from celery import shared_task
from django.utils import timezone

from apps.wallet import house, seals


@shared_task
def daily_seal_take() -> None:
    """Seal the day that has ended. Sent every hour: a server that was off at midnight seals when it is back."""
    seals.daily_seal_take(day=(timezone.now().astimezone(UTC) - timedelta(days=1)).date())


@shared_task
def house_snapshots_take() -> None:
    """Write down what every house account holds."""
    house.house_snapshots_take()
