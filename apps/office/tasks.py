"""Tasks of the back office for a worker."""

from typing import Final

from celery import shared_task

from apps.accounts.models import User
from apps.office.kept_reports import reports_keep
from apps.office.nightly_proof import nightly_proof_run, reconciliation_run

PROOF_TIME_LIMIT_S: Final = 6 * 3600
"""A proof takes longer the more rows there are."""


@shared_task(time_limit=PROOF_TIME_LIMIT_S)
def proof_nightly() -> None:
    """Prove everything."""
    nightly_proof_run()


@shared_task(time_limit=PROOF_TIME_LIMIT_S)
def ledger_reconcile(user_id: int) -> None:
    """Prove everything that the user who pressed the button may see."""
    reconciliation_run(user=User.objects.get(pk=user_id))


@shared_task(time_limit=PROOF_TIME_LIMIT_S)
def reports_nightly() -> None:
    """Keep the reports of each day that has been closed."""
    reports_keep()
