"""Scheduled tasks of the ledger: the daily seal, and the snapshots of house accounts.

Beat (`python -m casino.serve beat`) sends each task at its time in `CELERY_BEAT_SCHEDULE`, and a worker runs it.
"""

from celery import shared_task

from apps.core.task_limits import LONG_TASK_S
from apps.wallet import house_accounts, seals


@shared_task(time_limit=LONG_TASK_S)
def daily_seal_take() -> None:
    """Seal yesterday. Runs every hour, so that a server that was off at midnight seals later."""
    seals.yesterday_seal_take()


@shared_task
def house_snapshots_take() -> None:
    """Store the balance of every house account."""
    house_accounts.house_snapshots_take()
