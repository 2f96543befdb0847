"""Writes the audit trail: one row for each action, in the transaction of the action itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from apps.audit.models import AuditEntry
from apps.core import json
from apps.core.postgres_pool import Transaction
from apps.core.transactions import transaction_require
from apps.events.acts import event_of_act
from apps.events.services import event_record_awaited, event_write

APPROVAL: Final = "approval"
"""The name of data that hold the key of the approval that an act by two persons was carried out with."""
_approval: ContextVar[int | None] = ContextVar("approval of the acts", default=None)


@contextmanager
def acts_of_approval(approval_id: int) -> Iterator[None]:
    """Record the acts in the block with the approval that they are carried out with."""
    token = _approval.set(approval_id)
    try:
        yield
    finally:
        _approval.reset(token)


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

    `data` is what changed, without secrets; its amounts, times and ids are stored as text. An act that is a significant
    event (`apps.events.acts`) is recorded as one too.
    """
    transaction_require()
    approval = _approval.get()
    kept = (data or {}) if approval is None else {**(data or {}), APPROVAL: approval}
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        subject=subject,
        actor_user_id=actor_user_id,
        partner_id=partner_id,
        data=json.storable(kept),
        reason=reason,
    )
    event = event_of_act(
        actor=actor, action=action, subject=subject, partner_id=partner_id, data=data or {}, reason=reason
    )
    if event is not None:
        event_write(event)


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
    stored = json.encode(json.storable(data)).decode()
    await transaction.fetch(_INSERT, actor, actor_user_id, partner_id, action, subject, stored, reason)
    event = event_of_act(actor=actor, action=action, subject=subject, partner_id=partner_id, data=data, reason=reason)
    if event is not None:
        await event_record_awaited(transaction, event)


_INSERT: Final = """
    INSERT INTO audit_entry (actor, actor_user_id, partner_id, action, subject, data, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
