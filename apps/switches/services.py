"""Switches bets and rounds off and on. One operator switches off at once; switching on again takes two.

The database refuses a round that is switched off, by the trigger `round_switch` (migrations/0002_guard.sql), and
`apps.core.database_errors` turns that into GAME_DISABLED.
"""

from collections.abc import Callable
from typing import Final, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.accounts.actors import operator_require
from apps.accounts.models import Player, User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.database_errors import database_errors
from apps.core.errors import BadRequest, Conflict
from apps.core.locks import advisory_lock
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.registry import game_ids
from apps.switches.models import Switch, SwitchScope
from apps.tables.models import GameTable


class SwitchedBy(NamedTuple):
    """The author of a switch: an operator, perhaps with a second one, or a check of the platform."""

    name: str
    user_id: int | None = None
    second: str = ""


@transaction.atomic
def switch_set(
    *,
    operator: User,
    scope: SwitchScope,
    key: str,
    is_off: bool,
    reason: str,
    approval: Approval | None = None,
) -> Switch:
    """Stop new bets and rounds in this scope, or let them begin again; from the next statement, in every process. Open
    rounds are finished, and funds can be withdrawn. Switching on needs a second operator. Raises Refused (not an
    operator), SecondPersonNeeded, BadRequest (no reason, no such row), Conflict (nothing would change).
    """
    reason = operator_require(operator, "switches games off and on", reason=reason)
    key = key.strip()
    partner_id = _partner_of(scope, key)
    was_off = is_switched_off(scope=scope, key=key)
    if was_off == is_off:
        raise Conflict(f"this is switched {'off' if is_off else 'on'} already")
    if not is_off:
        needed = SecondPersonNeeded(
            "what was switched off is switched on by two",
            act="switch.on",
            subject=_subject(scope, key),
            payload={"scope": scope.value, "key": key},
            reason=reason,
            partner_id=partner_id,
        )
        approval_require(approval, needed)
    by = SwitchedBy(operator.get_username(), operator.pk, _second_person(approval))
    return _switch_write(scope, key, is_off=is_off, reason=reason, by=by, partner_id=partner_id)


@transaction.atomic
def switch_off_by_platform(*, scope: SwitchScope, key: str, reason: str, component: str) -> bool:
    """Stop new bets and rounds in this scope, because a check of the platform asks for it; return whether it was on."""
    if is_switched_off(scope=scope, key=key):
        return False
    by = SwitchedBy(component)
    _switch_write(scope, key, is_off=True, reason=reason, by=by, partner_id=_partner_of(scope, key))
    return True


@transaction.atomic
def switch_on_after_check(
    *, scope: SwitchScope, key: str, reason: str, component: str, operator: User, approval: Approval | None
) -> bool:
    """Switch on again if this check of the platform, and nobody else, has switched it off; return whether it did.

    The caller has checked that two persons have approved the end of the check's finding.
    """
    if not is_switched_off(scope=scope, key=key) or Switch.objects.get(scope=scope, key=key).by != component:
        return False
    by = SwitchedBy(operator.get_username(), operator.pk, _second_person(approval))
    _switch_write(scope, key, is_off=False, reason=reason, by=by, partner_id=_partner_of(scope, key))
    return True


def is_switched_off(*, scope: SwitchScope, key: str) -> bool:
    """Return whether this switch itself is off. Locks it until the end of the caller's transaction."""
    advisory_lock("switch", scope.value, key)
    with database_errors():
        held = Switch.objects.select_for_update().filter(scope=scope, key=key).first()
    return held is not None and held.is_off


@approval_act("switch.on")
def switch_on_approved(approval: Approval) -> None:
    """Switch on again after the approval of two persons."""
    switch_set(
        operator=approval.asked_by,
        scope=SwitchScope(approval.payload["scope"]),
        key=approval.payload["key"],
        is_off=False,
        reason=approval.reason,
        approval=approval,
    )


def _switch_write(
    scope: SwitchScope, key: str, *, is_off: bool, reason: str, by: SwitchedBy, partner_id: int | None
) -> Switch:
    values = {
        "is_off": is_off, "reason": reason, "by": by.name, "authorised_by": by.second, "mtime": timezone.now(),
    }  # fmt: skip
    switch, _ = Switch.objects.update_or_create(scope=scope, key=key, defaults=values)
    audit_record(
        actor=by.name,
        actor_user_id=by.user_id,
        partner_id=partner_id,
        action="switch.off" if is_off else "switch.on",
        subject=_subject(scope, key),
        data={"before": {"off": not is_off}, "after": {"off": is_off}},
        reason=reason,
    )
    return switch


def _subject(scope: SwitchScope, key: str) -> str:
    return f"switch of {SwitchScope(scope).label} {key}".rstrip()


def _second_person(approval: Approval | None) -> str:
    return approval.decided_by.get_username() if approval is not None and approval.decided_by is not None else ""


def _partner_of(scope: SwitchScope, key: str) -> int | None:
    """Return the partner that the switch belongs to, or None. Raises BadRequest if there is no such row."""
    if scope is SwitchScope.EVERYTHING:
        if key:
            raise BadRequest("key: the switch of everything has no key", field="key")
        return None
    try:
        return _PARTNERS[scope](key)
    except (LookupError, ValueError):
        raise BadRequest(f"key: there is no {scope.label} {key!r}", field="key") from None


def _of_game(key: str) -> None:
    if key not in game_ids():
        raise LookupError(key)


def _of_paytable(key: str) -> None:
    if not PayTable.objects.filter(pk=_number(key)).exists():
        raise LookupError(key)


def _of_partner(key: str) -> int | None:
    return _first(Partner.objects.filter(pk=_number(key)).values_list("pk", flat=True).first())


def _of_player(key: str) -> int | None:
    return _first(Player.objects.filter(pk=_number(key)).values_list("partner_id", flat=True).first())


def _of_table(key: str) -> int | None:
    if str(UUID(key)) != key:
        raise LookupError(key)
    return _first(GameTable.objects.filter(pk=key).values_list("partner_id", flat=True).first())


def _first(partner_id: int | None) -> int:
    if partner_id is None:
        raise LookupError
    return partner_id


def _number(key: str) -> int:
    """Return the key of a row, which must be in its shortest form: the trigger compares texts."""
    number = int(key)
    if str(number) != key or not 0 < number < 2**63:
        raise LookupError(key)
    return number


_PARTNERS: Final[dict[SwitchScope, Callable[[str], int | None]]] = {
    SwitchScope.GAME: _of_game,
    SwitchScope.PAY_TABLE: _of_paytable,
    SwitchScope.PARTNER: _of_partner,
    SwitchScope.PLAYER: _of_player,
    SwitchScope.TABLE: _of_table,
}
