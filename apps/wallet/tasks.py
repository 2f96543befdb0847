"""Scheduled work of `apps.wallet`."""

from celery import shared_task

from apps.wallet import house, seals


@shared_task
def daily_seal_take() -> None:
    """Seal the day that has ended. Sent every hour: a server that was off at midnight seals when it is back."""
    seals.yesterday_seal_take()


@shared_task
def house_snapshots_take() -> None:
    """Write down what every house account holds."""
    house.house_snapshots_take()
