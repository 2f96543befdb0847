"""Writing the audit trail: one row for each act, in the transaction of the act itself."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from uuid import UUID

from apps.audit.models import AuditEntry
from apps.core.database import transaction_require
from apps.core.money import plain


def audit_record(
    *,
    actor: str,
    action: str,
    subject: str,
    actor_user_id: int | None = None,
    partner_id: int | None = None,
    data: Mapping[str, object] | None = None,
    reason: str = "",
) -> None:
    """Write that `actor` did `action` to `subject`; it stands if the caller's transaction stands.

    `data` is what changed, without secrets; amounts, times and ids in it are kept as text.
    """
    transaction_require()
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        subject=subject,
        actor_user_id=actor_user_id,
        partner_id=partner_id,
        data=_storable(data or {}),
        reason=reason,
    )


def _storable(value: object) -> object:
    match value:
        case Decimal():
            return plain(value)
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case Mapping():
            return {str(key): _storable(member) for key, member in value.items()}
        case list() | tuple():
            return [_storable(member) for member in value]
        case _:
            return value
