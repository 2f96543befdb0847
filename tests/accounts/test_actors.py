"""Actors of changes, and the check of operators' acts."""

import pytest

from apps.accounts.actors import actor_of_user, operator_require
from apps.accounts.models import Role
from apps.audit.models import AuditEntry
from apps.core.errors import BadRequest, Refused
from tests.support.factories import partner_make, staff_make
from tests.support.partners import PartnerClient


@pytest.mark.django_db
@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.OPERATOR, Role.PLAYER)])
def test_only_an_operator_may_act_as_one(role: Role) -> None:
    with pytest.raises(Refused, match=r"^only an operator blocks players$"):
        operator_require(staff_make(role), "blocks players", reason="asked for it")


@pytest.mark.django_db
def test_a_closed_operator_s_log_in_may_not_act() -> None:
    operator = staff_make(Role.OPERATOR)
    operator.is_active = False
    with pytest.raises(Refused):
        operator_require(operator, "blocks players", reason="asked for it")


@pytest.mark.django_db
@pytest.mark.parametrize("reason", ["", " \n"])
def test_an_operator_s_act_needs_a_reason(reason: str) -> None:
    with pytest.raises(BadRequest) as refused:
        operator_require(staff_make(Role.OPERATOR), "blocks players", reason=reason)
    assert refused.value.field == "reason"


@pytest.mark.django_db
def test_a_reason_is_stored_without_spaces_around_it() -> None:
    assert operator_require(staff_make(Role.OPERATOR), "blocks players", reason=" asked for it\n") == "asked for it"


@pytest.mark.django_db
def test_a_log_in_is_an_actor_by_its_name() -> None:
    operator = staff_make(Role.OPERATOR)
    actor = actor_of_user(operator)
    assert (actor.name, actor.user_id) == (operator.get_username(), operator.pk)


def test_an_api_key_has_one_name_in_the_audit_of_every_game(committed: None) -> None:
    system = PartnerClient(partner_make())
    limits = {"currency": "EUR", "bet_min": 1, "bet_max": 5}
    assert system.post("/api/game/baccarat_config", limits).status == 200
    assert system.post("/api/game/dragon_tiger_config", limits).status == 200
    row = {"game_id": "og-blackjack", "currency": "EUR", "min_bet": 1, "max_bet": 5}
    assert system.post("/v1/games/configs", {"data": [row]}).status == 200
    entries = AuditEntry.objects.filter(partner_id=system.partner.pk).exclude(action="api_key.create")
    assert [entry.actor for entry in entries] == [
        f"API key {system.key.prefix}"
    ] * 4  # the standard terms of blackjack, too
