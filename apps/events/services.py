"""Records significant events, each in the transaction of the act that it reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from uuid import UUID

from apps.core import json
from apps.core.postgres_pool import Transaction
from apps.core.transactions import transaction_require
from apps.events.models import EventKind, SignificantEvent

PLATFORM: Final = "platform"

_INSERT: Final = """
    INSERT INTO significant_event (kind, component, actor, authorised_by, partner_id, subject, reason, before, after,
        round_id, amount, currency)
    VALUES ($1, $2, $3, '', $4, $5, $6, $7, $8, $9, $10, $11)
"""


@dataclass(frozen=True, slots=True)
class EventContent:
    """The content of an event. `before` and `after` are without secrets."""

    kind: EventKind
    component: str
    actor: str = PLATFORM
    subject: str = ""
    reason: str = ""
    partner_id: int | None = None
    before: Mapping[str, object] = field(default_factory=dict)
    after: Mapping[str, object] = field(default_factory=dict)
    round_id: UUID | None = None
    amount: Decimal | None = None
    currency: str = ""


def event_record(
    *,
    kind: EventKind,
    component: str,
    actor: str = PLATFORM,
    subject: str = "",
    reason: str = "",
    partner_id: int | None = None,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    round_id: UUID | None = None,
    amount: Decimal | None = None,
    currency: str = "",
    once: str | None = None,
) -> None:
    """Record an event in the caller's transaction; with `once` only if there is none of that name yet.

    `before` and `after` are without secrets; their amounts, times and ids are stored as text. The chain's lock is taken
    at the commit.
    """
    event = EventContent(
        kind=kind,
        component=component,
        actor=actor,
        subject=subject,
        reason=reason,
        partner_id=partner_id,
        before=before or {},
        after=after or {},
        round_id=round_id,
        amount=amount,
        currency=currency,
    )
    event_write(event, once=once)


def event_write(event: EventContent, *, once: str | None = None) -> None:
    """Record a given event as `event_record` does."""
    transaction_require()
    row = SignificantEvent(
        kind=event.kind,
        component=event.component,
        actor=event.actor,
        subject=event.subject,
        reason=event.reason,
        partner_id=event.partner_id,
        before=json.storable(event.before),
        after=json.storable(event.after),
        round_id=event.round_id,
        amount=event.amount,
        currency=event.currency,
        once=once,
    )
    SignificantEvent.objects.bulk_create([row], ignore_conflicts=once is not None)


async def event_record_awaited(transaction: Transaction, event: EventContent) -> None:
    """Do the same in a transaction of the event loop. Raises Busy, Unavailable."""
    before, after = (json.encode(json.storable(each)).decode() for each in (event.before, event.after))
    await transaction.fetch(
        _INSERT, event.kind.value, event.component, event.actor, event.partner_id, event.subject, event.reason, before,
        after, event.round_id, event.amount, event.currency,
    )  # fmt: skip
