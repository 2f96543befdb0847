"""Acts on several rows: the rows are chosen from the filtered list in scope, have one reason, and are all changed or
none."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from apps.accounts.models import Player, PlayerStatus
from apps.audit.models import AuditEntry
from apps.partners.models import ApiKey, Scope
from apps.partners.services import api_key_create
from tests.office.conftest import Casino
from tests.support.factories import player_make
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], OfficeBrowser]


PLAYERS = "admin:accounts_player_changelist"
BLOCK = "admin:accounts_player_bulk_block"
REVOKE = "admin:partners_apikey_bulk_revoke"


def offered(browser: OfficeBrowser, address: str) -> set[int]:
    """Return the keys of the rows that the page of an act offers."""
    return {int(key) for key, _ in browser.get(address).context["form"].fields["rows"].choices}


def blocked() -> set[int]:
    return set(Player.objects.filter(status=PlayerStatus.BLOCKED).values_list("pk", flat=True))


def test_an_operator_blocks_several_players_of_the_filtered_list_with_one_reason(
    ours: Casino, casino_new: Callable[[], Casino], log_in: LogIn
) -> None:
    theirs, operator = casino_new().player, log_in("operator")
    players = [ours.player, *(player_make(partner=ours.partner) for _ in range(2))]
    filtered = f"?partner__id__exact={ours.partner.pk}"
    page = operator.get(f"{reverse(PLAYERS)}{filtered}&o=1").content.decode()
    address = f"{reverse(BLOCK)}{filtered}"
    assert f'href="{address}"' in page
    assert offered(operator, address) == {player.pk for player in players}
    assert "Choose at least one." in operator.post(address, {"reason": "a ring"}).content.decode()
    chosen = {"rows": [players[0].pk, players[2].pk], "reason": "a ring"}
    assert "Select a valid choice" in operator.post(address, chosen | {"rows": [theirs.pk]}).content.decode()
    assert "This field is required" in operator.post(address, chosen | {"reason": ""}).content.decode()
    assert blocked() == set()
    form = operator.hidden(address) | chosen
    answers = [Client.post(operator, address, form, follow=True) for _ in range(2)]
    assert "2 players are blocked." in answers[0].content.decode()
    assert [answer.redirect_chain[-1][0] for answer in answers] == [f"{reverse(PLAYERS)}{filtered}"] * 2
    assert blocked() == {players[0].pk, players[2].pk}
    entries = AuditEntry.objects.filter(action="player.status", reason="a ring")
    assert {entry.subject for entry in entries} == {f"player {pk}" for pk in blocked()}
    assert entries.count() == 2
    assert offered(operator, address) == {players[1].pk}
    last = operator.hidden(address) | {"rows": [players[1].pk], "reason": "a ring"}
    assert "1 player is blocked." in Client.post(operator, address, last, follow=True).content.decode()


def test_none_of_several_is_done_if_one_of_them_has_changed_meanwhile(ours: Casino, log_in: LogIn) -> None:
    operator, players = log_in("operator"), [ours.player, player_make(partner=ours.partner)]
    address = reverse(BLOCK)
    form = operator.hidden(address) | {"rows": [player.pk for player in players], "reason": "a ring"}
    Player.objects.filter(pk=players[1].pk).update(status=PlayerStatus.BLOCKED)
    assert "Select a valid choice" in Client.post(operator, address, form).content.decode()
    assert blocked() == {players[1].pk}


def test_partner_staff_revoke_several_of_their_own_keys_and_block_no_players(
    ours: Casino, casino_new: Callable[[], Casino], log_in: LogIn
) -> None:
    theirs, staff, auditor = casino_new().api_key, log_in("partner_staff"), log_in("auditor")
    other, _ = api_key_create(partner=ours.partner, name="kiosk", scopes=[Scope.READ], actor="test")
    address = reverse(REVOKE)
    assert offered(staff, address) == {ours.api_key.pk, other.pk}
    answer = staff.post(address, {"rows": [ours.api_key.pk, other.pk], "reason": "a leak"}, follow=True)
    assert "2 keys are revoked" in answer.content.decode()
    assert set(ApiKey.objects.filter(revoked_at=None)) == {theirs}
    assert [entry.reason for entry in AuditEntry.objects.filter(action="api_key.revoke")] == ["a leak", "a leak"]
    for browser, refused in ((staff, [BLOCK]), (auditor, [BLOCK, REVOKE])):
        for name in refused:
            assert browser.get(reverse(name)).status_code == 403
            assert browser.post(reverse(name), {"reason": "x"}).status_code == 403
        assert "Block several" not in browser.get(reverse(PLAYERS)).content.decode()
    assert log_in("operator").get(f"{address}?password__startswith=a").status_code == 400
