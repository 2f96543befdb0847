"""Use cases of log-ins to the back office: who manages whose; invite, reset, unlock, end sessions.

Operators' log-ins, blocks of log-ins and preferences are in services.py.

Operators do this for everybody, partner staff for the staff of their own partner. Nobody does it to their own log-in,
and no log-in's role is ever changed: a person who needs another role gets another log-in. docs/security.md, "People",
says what each role may do; apps/core/staff_scope.py and apps/core/admin.py decide it.
"""

from typing import Final

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.accounts.usernames import username_require_free
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Conflict, Refused
from apps.core.reasons import reason_require
from apps.core.staff_scope import may_enter
from apps.partners.models import Partner
from apps.staff_access.models import AccessKind
from apps.staff_access.services import access_record, log_in_is_locked

OF_TWO_OPERATORS: Final = (Role.OPERATOR, Role.PLAYER)
"""The roles of log-ins that take two operators to reset and to open again: an operator may do everything, and whoever
has a player's log-in plays with its money."""


def staff_manage_require(actor: User, user: User, *, reason: str) -> str:
    """Return the reason of an act on somebody's log-in, without spaces around it.

    Raises Refused (neither an operator nor staff of the same partner), BadRequest (no reason, or the own log-in).
    """
    if not may_manage(actor, user):
        raise Refused("operators manage log-ins, and partner staff those of their own partner's staff")
    if user.pk == actor.pk:
        raise BadRequest("you cannot do this to your own log-in")
    return reason_require(reason)


def may_manage(actor: User, user: User) -> bool:
    """Return whether the actor's role and partner let it manage this log-in."""
    if not may_enter(actor):
        return False
    if actor.role == Role.OPERATOR:
        return True
    of_own = user.role == Role.PARTNER_STAFF and user.partner_id == actor.partner_id
    return actor.role == Role.PARTNER_STAFF and of_own


@transaction.atomic
def staff_invite(*, actor: User, username: str, email: str, role: Role, partner: Partner | None) -> User:
    """Create a log-in without a password; a one-time link (`one_time_link`) lets its owner choose one.

    Operators are made with `operator_create`. Raises Refused, BadRequest, Conflict (the name is not free).
    """
    user = User(username=username, email=email, role=role, partner=partner, is_staff=True)
    if role in (Role.PLAYER, Role.OPERATOR):
        raise BadRequest("role: partner staff or auditor", field="role")
    if not may_manage(actor, user):
        raise Refused("partner staff invite staff of their own partner")
    if role is Role.PARTNER_STAFF and partner is None:
        raise BadRequest("partner: partner staff have one, operators have none", field="partner")
    user.set_unusable_password()
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    username_require_free(username)
    user.save()
    _audit(user, actor, "staff.create", {}, {"role": user.role, "email": user.email})
    return user


def one_time_link(user: User) -> str:
    """Return the path where the owner of a log-in chooses a password, once.

    It is valid until `PASSWORD_RESET_TIMEOUT` has passed, the password is changed, or somebody has logged in.
    """
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


@transaction.atomic
def staff_reset(*, actor: User, user: User, reason: str, with_factor: bool, approval: Approval | None = None) -> None:
    """Take a log-in's password, sessions and, on request, second factor. A one-time link gives it a new password.

    For an operator and for a player it takes two operators, and the link goes to the owner alone ("Forgot your
    password"). Raises Refused, BadRequest, SecondPersonNeeded.
    """
    reason = staff_manage_require(actor, user, reason=reason)
    if user.role in OF_TWO_OPERATORS:
        needed = SecondPersonNeeded(
            "who resets this log-in could use it",
            act="staff.reset",
            subject=f"log-in {user.get_username()}",
            payload={"user": user.pk, "with_factor": with_factor},
            reason=reason,
        )
        approval_require(approval, needed)
    held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    held.set_unusable_password()
    held.save(update_fields=["password"])
    factors = Authenticator.objects.filter(user=held).delete()[0] if with_factor else 0
    ended = _sessions_end(held)
    if log_in_is_locked(held):
        access_record(user=held, kind=AccessKind.UNLOCKED, request=None)
    _audit(held, actor, "staff.reset", {}, {"factors_removed": factors, "sessions_ended": ended}, reason)


@approval_act("staff.reset")
def staff_reset_approved(approval: Approval) -> None:
    """Reset an operator's or a player's log-in after the approval."""
    staff_reset(
        actor=approval.asked_by,
        user=User.objects.get(pk=approval.payload["user"]),
        reason=approval.reason,
        with_factor=approval.payload["with_factor"],
        approval=approval,
    )


@transaction.atomic
def staff_unlock(*, actor: User, user: User, reason: str) -> None:
    """Let a log-in that is locked after failures try again. Raises Refused, BadRequest, Conflict (not locked)."""
    reason = staff_manage_require(actor, user, reason=reason)
    if not log_in_is_locked(user):
        raise Conflict("this log-in is not locked")
    access_record(user=user, kind=AccessKind.UNLOCKED, request=None)
    _audit(user, actor, "staff.unlock", {"locked": True}, {"locked": False}, reason)


@transaction.atomic
def staff_sessions_end(*, actor: User, user: User, reason: str) -> int:
    """End all sessions of a log-in; return how many there were. Raises Refused, BadRequest."""
    reason = staff_manage_require(actor, user, reason=reason)
    ended = _sessions_end(user)
    _audit(user, actor, "staff.sessions.end", {}, {"sessions_ended": ended}, reason)
    return ended


def _sessions_end(user: User) -> int:
    """End the sessions, and return their number without those whose time was over."""
    sessions = list(UserSession.objects.filter(user=user))
    keys = [session.session_key for session in sessions]
    running = Session.objects.filter(pk__in=keys, expire_date__gt=timezone.now()).count()
    for session in sessions:
        session.end()
    return running


def _audit(
    user: User, actor: User, action: str, before: dict[str, object], after: dict[str, object], reason: str = ""
) -> None:
    audit_record(
        actor=actor.get_username(),
        actor_user_id=actor.pk,
        action=action,
        subject=f"log-in {user.get_username()}",
        partner_id=user.partner_id,
        data={"before": before, "after": after},
        reason=reason,
    )
