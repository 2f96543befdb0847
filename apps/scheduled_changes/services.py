"""Changes at a chosen time: scheduled, withdrawn, and carried out when they are due.

A kind of change is a function that makes the change from a payload; the games register theirs (`change_kind`). It is
tried out and undone when it is scheduled, so that a refused change is never scheduled. When it is due, it applies to
the offer of that time: the same service, the same checks, in the name of the log-in that scheduled it.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

from django.db import transaction
from django.utils import timezone

from apps.accounts.actors import Actor, actor_of_user
from apps.accounts.models import User
from apps.audit.services import audit_record
from apps.core.database_errors import database_errors
from apps.core.errors import BadRequest, Conflict, DomainError, Refused, TryLater
from apps.core.reasons import reason_require
from apps.core.staff_scope import may_enter
from apps.core.subjects import subject_of
from apps.partners.models import Partner
from apps.scheduled_changes.models import ChangeStatus, ScheduledChange

MAX_WAIT: Final = timedelta(days=400)
MAX_WAITING: Final = 100
"""The changes of a partner that may wait at a time."""
PLATFORM: Final = "the platform"


class Change(Protocol):
    """Makes a change of one kind. `version` is the one of the configuration that the caller has read, if any.

    Raises DomainError.
    """

    def __call__(self, payload: Mapping[str, Any], *, actor: Actor, version: int | None) -> object: ...


Words = Callable[[Mapping[str, Any]], Mapping[str, object]]
"""Returns a payload for people: the values that hold then, by what people call them."""

_Run = TypeVar("_Run", bound=Change)
_KINDS: Final[dict[str, Change]] = {}
_WORDS: Final[dict[str, Words]] = {}


def change_kind(kind: str, words: Words) -> Callable[[_Run], _Run]:
    """Register the function that carries out changes of this kind, and the one that says in words what holds then."""

    def register(run: _Run) -> _Run:
        _KINDS[kind], _WORDS[kind] = run, words
        return run

    return register


def change_in_words(change: ScheduledChange) -> Mapping[str, object]:
    """Return what holds when the change has taken effect, for people."""
    return _WORDS[change.kind](change.payload)


@transaction.atomic
def change_schedule(
    *, user: User, kind: str, config: Any, payload: Mapping[str, Any], apply_at: datetime, version: int | None = None
) -> ScheduledChange:
    """Schedule a change of a partner's configuration. `version` is the one that the caller has read, if any.

    Locks the partner, then what the change locks. Raises BadRequest (the time), Conflict (too many wait), and what the
    change raises.
    """
    now = timezone.now()
    if not now < apply_at <= now + MAX_WAIT:
        raise BadRequest(
            f"apply_at: a time in the next {MAX_WAIT.days} days; without a time the change is made at once",
            field="apply_at",
        )
    Partner.objects.select_for_update(no_key=True).get(pk=config.partner_id)
    if _waiting().filter(partner=config.partner_id).count() >= MAX_WAITING:
        raise Conflict(f"{MAX_WAITING} changes wait already: withdraw one first")
    _try_out(kind, payload, actor_of_user(user), version)
    change = ScheduledChange.objects.create(
        kind=kind,
        subject=subject_of(config),
        partner_id=config.partner_id,
        payload=dict(payload),
        apply_at=apply_at,
        asked_by=user,
    )
    _audit(change, user.get_username(), user.pk, "change.schedule", {"apply_at": apply_at, **payload})
    return change


@transaction.atomic
def change_withdraw(*, user: User, change: ScheduledChange, reason: str) -> ScheduledChange:
    """Withdraw a change that waits. Raises BadRequest (no reason), Conflict (it has ended)."""
    reason = reason_require(reason)
    with database_errors():
        held = ScheduledChange.objects.select_for_update(of=("self",)).get(pk=change.pk)
    if held.status != ChangeStatus.WAITING:
        raise Conflict(f"this change is {held.status} already")
    _end(held, ChangeStatus.WITHDRAWN, by=user.get_username(), outcome=reason)
    _audit(held, user.get_username(), user.pk, "change.withdraw", {"kind": held.kind}, held.outcome)
    return held


def changes_withdraw(*, user: User, config: Any, reason: str) -> None:
    """Withdraw all changes of a configuration that wait. Raises BadRequest (no reason)."""
    for change in _waiting().filter(subject=subject_of(config), partner_id=config.partner_id).order_by("pk"):
        change_withdraw(user=user, change=change, reason=reason)


@transaction.atomic(durable=True)
def change_carry_out(*, change_id: int) -> ScheduledChange | None:
    """Carry out a change that is due, or end it as refused with the reason; return None if it is no longer waiting.

    Locks the change, then what it locks. Raises TryLater: it then stays waiting.
    """
    with database_errors():
        held = ScheduledChange.objects.select_for_update(of=("self",)).filter(pk=change_id).first()
    if held is None or held.status != ChangeStatus.WAITING or held.apply_at > timezone.now():
        return None
    asked_by = held.asked_by
    try:
        if not may_enter(asked_by):
            raise Refused("the log-in that scheduled it is closed")
        with transaction.atomic():
            _KINDS[held.kind](held.payload, actor=actor_of_user(asked_by), version=None)
    except TryLater:
        raise
    except DomainError as refusal:
        _end(held, ChangeStatus.REFUSED, by=PLATFORM, outcome=refusal.message)
        _audit(held, PLATFORM, None, "change.refuse", {"kind": held.kind}, refusal.message)
    else:
        _end(held, ChangeStatus.DONE, by=PLATFORM, outcome="")
        _audit(held, PLATFORM, None, "change.carry_out", {"kind": held.kind, "asked_by": asked_by.get_username()})
    return held


class _TriedOut(Exception):
    """Raised to undo a change that was only tried out."""


def _try_out(kind: str, payload: Mapping[str, Any], actor: Actor, version: int | None) -> None:
    try:
        with transaction.atomic():
            _KINDS[kind](payload, actor=actor, version=version)
            raise _TriedOut
    except _TriedOut:
        return


def _waiting() -> Any:
    return ScheduledChange.objects.filter(status=ChangeStatus.WAITING)


def _end(held: ScheduledChange, status: ChangeStatus, *, by: str, outcome: str) -> None:
    held.status, held.ended_at, held.ended_by, held.outcome = status, timezone.now(), by, outcome
    held.save(update_fields=["status", "ended_at", "ended_by", "outcome"])


def _audit(
    change: ScheduledChange,
    actor: str,
    actor_user_id: int | None,
    action: str,
    data: Mapping[str, object],
    reason: str = "",
) -> None:
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        partner_id=change.partner_id,
        action=action,
        subject=f"scheduled change {change.pk}",
        data={"of": change.subject, **data},
        reason=reason,
    )
