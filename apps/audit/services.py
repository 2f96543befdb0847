"""Writes the audit trail: one row for each action, in the transaction of the action itself."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final
from uuid import UUID

from apps.audit.models import AuditEntry
from apps.core import json
from apps.core.database import transaction_require
from apps.core.money import plain
from apps.core.pool import Transaction


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
    """Record that `actor` did `action` to `subject`, in the caller's transaction.

    `data` is what changed, without secrets; its amounts, times and ids are stored as text.
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


async def audit_record_awaited(
    transaction: Transaction,
    *,
    actor: str,
    action: str,
    subject: str,
    partner_id: int | None,
    data: Mapping[str, object],
    reason: str,
    actor_user_id: int | None = None,
) -> None:
    """Do the same as `audit_record` in a transaction of the event loop. Raises Busy, Unavailable."""
    stored = json.encode(_storable(data)).decode()
    await transaction.fetch(_INSERT, actor, actor_user_id, partner_id, action, subject, stored, reason)


_INSERT: Final = """
    INSERT INTO audit_entry (actor, actor_user_id, partner_id, action, subject, data, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
"""


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
