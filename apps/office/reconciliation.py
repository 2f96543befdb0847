"""The proof of the ledger on a button: who may press it, what it found."""

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.core.viewers import AUDITOR, OPERATOR, in_scope, may_enter, sees_all_partners
from apps.office.ledger_audit import ledger_audit

ACTION: Final = "ledger.reconcile"
MAX_ROWS_AT_ONCE: Final = 50_000
"""Movements that are checked while a browser waits: about two seconds."""
FINDINGS_KEPT: Final = 20
RUNS_SHOWN: Final = 20


def may_reconcile(viewer: Any) -> bool:
    """Say whether the viewer may prove the ledger: operators and auditors, each as far as they see."""
    return may_enter(viewer) and viewer.role in (AUDITOR, OPERATOR)


def ledger_is_short() -> bool:
    """Say whether the ledger, by the database's own estimate, can be proved while a browser waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'wallet_transaction'::regclass")
        (rows,) = cursor.fetchone()
    return bool(rows <= MAX_ROWS_AT_ONCE)


def reconciliation_run(*, user: User) -> None:
    """Prove the ledger, of all partners or of the user's own, and write down what was found.

    Opens transactions of its own.
    """
    partner = None if sees_all_partners(user) else user.partner
    seal_file = Path(settings.PUNTO_SEAL_FILE) if settings.PUNTO_SEAL_FILE else None
    audit = ledger_audit(
        seal_file=seal_file if seal_file and seal_file.exists() else None, partner_id=partner.pk if partner else None
    )
    with transaction.atomic():
        audit_record(
            actor=user.get_username(),
            actor_user_id=user.pk,
            action=ACTION,
            partner_id=partner.pk if partner else None,
            subject=f"the ledger of {partner.slug}" if partner else "the ledger",
            data={
                "movements": audit.movement_count,
                "seals": audit.seal_count,
                "rounds": audit.round_count,
                "found": len(audit.findings),
                "findings": [f"{finding.where}: {finding.what}" for finding in audit.findings[:FINDINGS_KEPT]],
            },
        )


def reconciliation_list(*, viewer: User) -> QuerySet[AuditEntry]:
    """Return the newest proofs of what the viewer sees; who sees all partners sees the proofs of each, too."""
    runs = in_scope(AuditEntry.objects.filter(action=ACTION), viewer=viewer, partner_path="partner_id")
    return runs.order_by("-id")[:RUNS_SHOWN]
