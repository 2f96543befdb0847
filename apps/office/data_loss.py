"""Records that data was lost, which only a person can know."""

from typing import Final

from django.db import transaction

from apps.audit.services import audit_record
from apps.core.errors import BadRequest

KINDS: Final = {"restore": "restore from a backup", "personal": "personal data"}
"""The kinds of loss, by the names of their options."""


@transaction.atomic
def data_loss_record(*, kind: str, reason: str, actor: str) -> None:
    """Record a loss of data as an act and a significant event. Raises BadRequest (kind, no reason)."""
    if kind not in KINDS:
        raise BadRequest(f"kind: {' or '.join(KINDS)}", field="kind")
    if not reason.strip():
        raise BadRequest("reason: say what was lost, and since when", field="reason")
    audit_record(actor=actor, action="data.lost", subject=KINDS[kind], data={}, reason=reason)
