"""Tasks of the back office for a worker."""

from contextlib import nullcontext

from celery import shared_task

from apps.accounts.models import User
from apps.core.task_limits import LONG_TASK_S
from apps.office.kept_reports import reports_keep
from apps.office.nightly_proof import nightly_proof_run, proof_claim_hold, reconciliation_run


@shared_task(time_limit=LONG_TASK_S)
def proof_nightly() -> None:
    """Prove everything."""
    nightly_proof_run()


@shared_task(time_limit=LONG_TASK_S)
def ledger_reconcile(user_id: int, claim: str = "") -> None:
    """Prove everything that the user who pressed the button may see, and end the claim that was taken then.

    The user's role or partner may have changed since. A server of a version before the claims sends none.
    """
    with proof_claim_hold(claim) if claim else nullcontext():
        reconciliation_run(user=User.objects.get(pk=user_id))


@shared_task(time_limit=LONG_TASK_S)
def reports_nightly() -> None:
    """Keep the reports of each day that has been closed."""
    reports_keep()
