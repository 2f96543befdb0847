"""What the back office leaves to a worker."""

from celery import shared_task

from apps.accounts.models import User
from apps.office.reconciliation import reconciliation_run


@shared_task
def ledger_reconcile(user_id: int) -> None:
    """Prove the whole ledger for whoever pressed the button."""
    reconciliation_run(user=User.objects.get(pk=user_id))
