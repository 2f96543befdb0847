"""Use cases: block a player, create log-ins and operators, block a log-in, save a log-in's preferences.

The acts of staff on each other's log-ins (invite, reset, unlock) are in staff.py.

A blocked player is refused where bets are placed: apps/one_deal/services.py, the services of a game with actions, and
apps/tables/table_snapshot.py (`may_stake`). New sessions: apps/rounds/game_sessions.py, apps/tables/sessions.py.
Transfers of money: `wallet_lock` in apps/wallet/services.py.
"""

from zoneinfo import available_timezones

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.actors import operator_require
from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.accounts.staff import OF_TWO_OPERATORS, staff_manage_require
from apps.accounts.usernames import username_require_free
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Conflict
from apps.partners.models import Partner


@transaction.atomic
def player_status_set(
    *, operator: User, player: Player, status: PlayerStatus, reason: str, approval: Approval | None = None
) -> None:
    """Block a player or let it play again, from the next bet or session on; open rounds can be finished.

    A block is an exclusion, and lifting it takes two operators. Raises Refused (not an operator), SecondPersonNeeded,
    BadRequest (no reason), Conflict if the player has this status already.
    """
    reason = operator_require(operator, "blocks players", reason=reason)
    # A concurrent bet locks the row against deletion only. A stronger lock here would block the bet's commit.
    held = Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    before = held.status
    if before == status:
        raise Conflict(f"this player is {status} already")
    if status is PlayerStatus.ACTIVE:
        needed = SecondPersonNeeded(
            "it lifts an exclusion",
            act="player.unblock",
            subject=f"player {held.pk}",
            payload={"player": held.pk},
            reason=reason,
            partner_id=held.partner_id,
        )
        approval_require(approval, needed)
    held.status = status
    held.save(update_fields=["status"])
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=held.partner_id,
        action="player.status",
        subject=f"player {held.pk}",
        data={"before": {"status": before}, "after": {"status": str(status)}},
        reason=reason,
    )


@approval_act("player.unblock")
def player_unblock_approved(approval: Approval) -> None:
    """Let a player play again after the approval."""
    player_status_set(
        operator=approval.asked_by,
        player=Player.objects.get(pk=approval.payload["player"]),
        status=PlayerStatus.ACTIVE,
        reason=approval.reason,
        approval=approval,
    )


@transaction.atomic
def operator_create(*, operator: User, username: str, email: str, approval: Approval | None = None) -> User:
    """Create an operator's log-in without a password: its owner chooses one with "Forgot your password".

    It takes two operators. Raises Refused, SecondPersonNeeded, BadRequest, Conflict (the name is not free).
    """
    operator_require(operator, "makes operators", reason="a new operator")
    username_require_free(username)
    needed = SecondPersonNeeded(
        "an operator may do everything",
        act="operator.create",
        subject=f"log-in {username}",
        payload={"username": username, "email": email},
        reason=f"{username} becomes an operator",
    )
    approval_require(approval, needed)
    user = User(username=username, email=email, role=Role.OPERATOR, is_staff=True)
    user.set_unusable_password()
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    user.save()
    _staff_audit(user, operator.get_username(), operator.pk)
    return user


@approval_act("operator.create")
def operator_create_approved(approval: Approval) -> None:
    """Make an approved operator."""
    operator_create(operator=approval.asked_by, **approval.payload, approval=approval)


@transaction.atomic
def staff_create(*, username: str, email: str, password: str, role: Role, partner: Partner | None, actor: str) -> User:
    """Create a log-in of the back office. Raises BadRequest, Conflict (the name is not free).

    Partner staff belong to a partner, operators to none; an auditor without a partner reads all of them. Only commands
    create operators in this way; the back office uses `operator_create`.
    """
    if role is Role.PLAYER:
        raise BadRequest("role: players sign up, or their partner opens them", field="role")
    if (role is Role.PARTNER_STAFF and partner is None) or (role is Role.OPERATOR and partner is not None):
        raise BadRequest("partner: partner staff have one, operators have none", field="partner")
    user = User(username=username, email=email, role=role, partner=partner, is_staff=True)
    try:
        user.clean_fields(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    username_require_free(username)
    user.set_password(password)
    user.save()
    _staff_audit(user, actor, None)
    return user


def _staff_audit(user: User, actor: str, actor_user_id: int | None) -> None:
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="staff.create",
        subject=f"log-in {user.get_username()}",
        partner_id=user.partner_id,
        data={"before": {}, "after": {"role": user.role, "email": user.email}},
    )


@transaction.atomic
def user_active_set(*, operator: User, user: User, active: bool, reason: str, approval: Approval | None = None) -> None:
    """Close a log-in from its next request on, or open it again.

    Opening an operator's or a player's log-in takes two operators. Raises Refused (neither an operator nor staff of the
    same partner), SecondPersonNeeded, BadRequest (no reason, or the own log-in), Conflict if nothing would change.
    """
    reason = staff_manage_require(operator, user, reason=reason)
    if not User.objects.filter(pk=user.pk, is_active=not active).update(is_active=active):
        raise Conflict(f"this log-in is {'open' if active else 'closed'} already")
    if active and user.role in OF_TWO_OPERATORS:
        needed = SecondPersonNeeded(
            "an operator may do everything" if user.role == Role.OPERATOR else "it lifts an exclusion",
            act="user.open",
            subject=f"log-in {user.get_username()}",
            payload={"user": user.pk},
            reason=reason,
        )
        approval_require(approval, needed)
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=user.partner_id,
        action="user.active",
        subject=f"log-in {user.get_username()}",
        data={"before": {"active": not active}, "after": {"active": active}},
        reason=reason,
    )


@approval_act("user.open")
def user_open_approved(approval: Approval) -> None:
    """Open an operator's or a player's log-in again after the approval."""
    user_active_set(
        operator=approval.asked_by,
        user=User.objects.get(pk=approval.payload["user"]),
        active=True,
        reason=approval.reason,
        approval=approval,
    )


def user_preferences_set(*, user: User, language: str, time_zone: str) -> None:
    """Set the language and the time zone of a log-in's pages. Empty texts leave the choice to the browser.

    Raises BadRequest for an unknown language or time zone.
    """
    if language and language not in dict(settings.LANGUAGES):
        raise BadRequest(f"language: one of {', '.join(dict(settings.LANGUAGES))}", field="language")
    if time_zone and time_zone not in available_timezones():
        raise BadRequest("time_zone: a name of the time zone database, such as Europe/Berlin", field="time_zone")
    user.language, user.time_zone = language, time_zone
    user.save(update_fields=["language", "time_zone"])
