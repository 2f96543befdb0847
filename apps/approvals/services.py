"""Acts that take two operators (four eyes): one asks, another one decides, and an approval carries the act out.

A service that may need a second person calls `approval_require` before it changes anything. Called without an approval
it raises SecondPersonNeeded, which the back office turns into a request (`act_or_ask`). The approval carries out the
same service again, with what was asked for and in its own transaction. The constraint `approval_two_persons`
(models.py) keeps both persons apart. docs/security.md, "Two persons", lists the acts; in the code they are the
functions with `approval_act` and the calls of `approval_require`.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from apps.approvals.models import Approval, ApprovalStatus
from apps.audit.services import acts_of_approval, audit_record
from apps.core.database_errors import database_errors
from apps.core.errors import Conflict, FactorNeeded, Refused
from apps.core.reasons import reason_require
from apps.core.staff_scope import OPERATOR, may_enter
from apps.core.transactions import transaction_require

NOT_ANY_MORE: Final = (
    "is not an operator with an open log-in any more: reject it, and ask for it yourself if it is still needed"
)
"""Why an act is not carried out in the name of the one who asked for it."""

_Run = TypeVar("_Run", bound=Callable[[Approval], object])

_ACTS: Final[dict[str, Callable[[Approval], object]]] = {}


class SecondPersonNeeded(Refused):
    """The act needs a second person. The error holds the request to that person."""

    code = "SECOND_PERSON_NEEDED"

    def __init__(
        self,
        why: str,
        *,
        act: str = "",
        subject: str = "",
        payload: Mapping[str, Any] | None = None,
        reason: str = "",
        partner_id: int | None = None,
    ) -> None:
        super().__init__(f"this needs a second operator: {why}")
        self.why = why
        self.act = act
        self.subject = subject
        self.payload = dict(payload or {})
        self.reason = reason
        self.partner_id = partner_id


def approval_act(act: str) -> Callable[[_Run], _Run]:
    """Register the function that carries out an approved act."""

    def register(run: _Run) -> _Run:
        _ACTS[act] = run
        return run

    return register


def approval_require(approval: Approval | None, needed: SecondPersonNeeded) -> None:
    """Refuse an act that needs a second person, unless `approval` is for exactly this act and is being carried out.

    Raises `needed`, Refused.
    """
    if not settings.PUNTO_TWO_PERSONS:
        return
    if approval is None:
        raise needed
    transaction_require()
    held = Approval.objects.filter(pk=approval.pk, status=ApprovalStatus.APPROVED).first()
    if held is None or not held.wants(needed.act, needed.payload):
        raise Refused("the approval is for another act")


def act_or_ask(
    *, call: Callable[[], object], user: Any, factor_at: datetime | None, commits_itself: bool = False
) -> object:
    """Do the act, or ask a second person for it; return what the act returns, or the Approval that waits.

    `factor_at` is when the user last showed a second factor. An act that `commits_itself` refuses before it changes
    anything; any other act is rolled back. Raises what the act raises, Refused (no recent factor).
    """
    try:
        if commits_itself:
            return call()
        with transaction.atomic():
            return call()
    except SecondPersonNeeded as needed:
        return _ask(needed, user, factor_at)


@transaction.atomic
def approval_approve(*, operator: Any, approval: Approval, reason: str, factor_at: datetime | None) -> Approval:
    """Approve another person's act and carry it out, all in one transaction.

    Locks: the approval, then what the act locks. Raises Refused (not an operator, the one who asked, that one is not an
    operator any more, no recent second factor), BadRequest (no reason), Conflict (decided, too late), and what the act
    raises: it then stays waiting.
    """
    held = _waiting(approval)
    _operator_check(operator)
    if operator.pk == held.asked_by_id:
        raise Refused("you have asked for this yourself: another operator approves it")
    if not may_ask(held.asked_by):
        raise Refused(f"{held.asked_by.get_username()}, who asked for this, {NOT_ANY_MORE}")
    _factor_check(factor_at)
    _decide(held, operator, ApprovalStatus.APPROVED, reason, factor_at)
    _authorise(operator.get_username())
    with acts_of_approval(held.pk):
        _ACTS[held.act](held)
    _authorise("")
    return held


@transaction.atomic
def approval_reject(*, operator: Any, approval: Approval, reason: str) -> Approval:
    """Reject an act, or withdraw one's own; nothing is done.

    Locks: the approval. Raises Refused, BadRequest (no reason), Conflict (decided, too late).
    """
    held = _waiting(approval)
    _operator_check(operator)
    own = operator.pk == held.asked_by_id
    _decide(held, operator, ApprovalStatus.WITHDRAWN if own else ApprovalStatus.REJECTED, reason, None)
    return held


@transaction.atomic
def _ask(needed: SecondPersonNeeded, user: Any, factor_at: datetime | None) -> Approval:
    _operator_check(user)
    _factor_check(factor_at)
    now = timezone.now()
    same = Approval.objects.filter(act=needed.act, payload=needed.payload, status=ApprovalStatus.WAITING)
    waiting = same.filter(expires_at__gt=now).select_related("asked_by").first()
    if waiting is not None:
        by = waiting.asked_by.get_username()
        raise Conflict(f"this waits already: {waiting}, which {by} asked for. Approve, reject or withdraw that one")
    asked = Approval.objects.create(
        act=needed.act,
        subject=needed.subject,
        partner_id=needed.partner_id,
        payload=needed.payload,
        why=needed.why,
        reason=needed.reason,
        asked_by=user,
        asked_factor_at=factor_at or now,
        expires_at=now + Approval.LASTS,
    )
    _audit(asked, user, "approval.ask", {}, {"status": str(asked.status), "act": asked.act, "payload": asked.payload})
    return asked


def _authorise(who: str) -> None:
    """Record in the events of this transaction who authorised them (`significant_event_authorise`)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('punto.authorised_by', %s, true)", [who])


def _waiting(approval: Approval) -> Approval:
    with database_errors():
        held = Approval.objects.select_for_update(of=("self",)).select_related("asked_by").get(pk=approval.pk)
    if held.status != ApprovalStatus.WAITING:
        raise Conflict(f"this is {held.status} already")
    if held.expires_at < timezone.now():
        raise Conflict("this was asked for more than 24 hours ago: ask again")
    return held


def may_ask(user: Any) -> bool:
    """Return whether the user may ask for acts of two persons, and decide on them."""
    return user.role == OPERATOR and may_enter(user)


def _operator_check(user: Any) -> None:
    if not may_ask(user):
        raise Refused("only an operator asks for this and decides on it")


def factor_is_recent(factor_at: datetime | None) -> bool:
    """Return whether a second factor that was shown then is recent enough for an approval."""
    return factor_at is not None and factor_at >= timezone.now() - Approval.FACTOR_LASTS


def _factor_check(factor_at: datetime | None) -> None:
    if not factor_is_recent(factor_at):
        raise FactorNeeded("show your second factor again: for this it must not be older than 15 minutes")


def _decide(held: Approval, user: Any, status: ApprovalStatus, reason: str, factor_at: datetime | None) -> None:
    reason = reason_require(reason)
    held.status, held.decided_by, held.decided_at = status, user, timezone.now()
    held.decided_reason, held.decided_factor_at = reason, factor_at
    held.save(update_fields=["status", "decided_by", "decided_at", "decided_reason", "decided_factor_at"])
    before, after = {"status": str(ApprovalStatus.WAITING)}, {"status": str(status)}
    _audit(held, user, f"approval.{status}", before, after, held.decided_reason)


def _audit(
    held: Approval, user: Any, action: str, before: Mapping[str, object], after: Mapping[str, object], reason: str = ""
) -> None:
    audit_record(
        actor=user.get_username(),
        actor_user_id=user.pk,
        partner_id=held.partner_id,
        action=action,
        subject=f"approval {held.pk}",
        data={"before": before, "after": after, "of": held.subject},
        reason=reason or held.reason,
    )
