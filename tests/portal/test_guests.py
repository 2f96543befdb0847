"""Guests: visitors who play at once. They are limited, may sign up, and are blocked when they stay away."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from apps.accounts.browser_guest import GUEST_KEY
from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.audit.models import AuditEntry
from apps.core.rate_limits import _limiter
from apps.partners.models import Partner
from apps.portal.authentication import GUEST_DAY_KEY
from apps.portal.guests import guest_close, guest_open, idle_guest_ids
from apps.portal.tasks import idle_guests_close
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import GameSession, Round, RoundEnd
from apps.rounds.registry import games
from apps.tables.models import GameTable, TableSession
from apps.wallet.models import Wallet, WalletTransaction
from tests.support.factories import partner_make, player_make, staff_make, user_make
from tests.support.offers import games_offer
from tests.support.tables import table_make

pytestmark = pytest.mark.django_db

PASSWORD = "open sesame 99"
SIGN_UP = {"username": "bob", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def house() -> Partner:
    partner = partner_make(is_house=True)
    games_offer(partner)
    return partner


@pytest.fixture(autouse=True)
def fresh_limits(settings: Any) -> Iterator[None]:
    """Each test begins with unused limits."""
    _limiter(settings.REDIS_URL).storage.reset()
    yield
    cache.clear()


def session_open(client: Client, address: str = "203.0.113.7", *, player: str = "") -> Any:
    """Request a session as a page of this player does."""
    return client.post(f"/play/{games()[0].slug}/session", {"player": player}, REMOTE_ADDR=address)


@pytest.mark.parametrize("game", games(), ids=lambda game: game.slug)
def test_a_visitor_sees_the_table_without_a_row(client: Client, house: Partner, game: GameSpec) -> None:
    page = client.get(f"/play/{game.slug}/")
    assert page.status_code == 200
    table = page.context["table"]
    assert (table["balance"], table["isOpen"], table["isVisitor"], table["changesToken"]) == ("1000", True, True, "")
    assert client.get(f"/play/{game.slug}/table").json()["balance"] == "1000"
    assert not Player.objects.exists()


def test_the_first_deal_s_session_makes_one_guest_with_play_money(client: Client, house: Partner) -> None:
    first = session_open(client)
    assert first.json()["seedUrl"] == "/seeds/propose"
    guest = Player.objects.get()
    assert (guest.partner, guest.user, guest.is_guest) == (house, None, True)
    assert Wallet.objects.get(player=guest).balance == 1000
    again = session_open(client)
    assert set(again.json()) == {"gameSessionId", "player"}
    assert first.json()["player"] == again.json()["player"] == client.get("/play/now").json()["player"]
    assert Player.objects.count() == 1
    assert client.get("/play/now").json()["balance"] == "1000"
    assert client.get("/wallet/").status_code == 200


def test_a_page_gets_a_session_of_the_player_whom_it_shows_and_of_nobody_else(client: Client, house: Partner) -> None:
    """Another tab of the browser may have logged in or out since the page was loaded."""
    ann, bob = (player_make(partner=house, user=user_make()) for _ in range(2))
    client.force_login(ann.user)
    shown = client.get(f"/play/{games()[0].slug}/").context["table"]["player"]
    assert session_open(client, player=shown).json()["player"] == shown
    client.force_login(bob.user)
    for refused in (session_open(client, player=shown), session_open(client, player="")):
        assert (refused.status_code, refused.json()["code"]) == (401, "AUTHENTICATION_FAILED")
    client.logout()
    assert session_open(client, player=shown).status_code == 401
    assert set(GameSession.objects.values_list("player", flat=True)) == {ann.pk}
    assert not Player.objects.filter(is_guest=True).exists()


def test_a_guest_chooses_the_first_client_seed_after_the_commitments(client: Client, house: Partner) -> None:
    url = session_open(client).json()["seedUrl"]
    assert client.post(url, {"client_seed": "mine"}).json() == {"clientSeed": "mine"}


def test_a_network_begins_five_guests_an_hour(house: Partner) -> None:
    for _ in range(5):
        assert session_open(Client()).status_code == 200
    refused = session_open(Client())
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert 0 < int(refused["Retry-After"]) <= 3600
    page = Client().get(refused.json()["page"])
    assert page.status_code == 429
    assert "Too many guests" in page.content.decode()
    assert session_open(Client(), address="203.0.113.8").status_code == 200
    assert Player.objects.count() == 6


def test_the_address_is_the_one_that_the_proxy_tells(house: Partner, settings: Any) -> None:
    settings.PUNTO_PROXIES = 1
    url = f"/play/{games()[0].slug}/session"

    def ask(forwarded: str) -> int:
        return Client().post(url, REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded}).status_code

    assert [ask(f"198.51.100.{number}, 203.0.113.9") for number in range(6)] == [200] * 5 + [429]
    assert ask("203.0.113.10") == 200


def test_a_session_needs_the_csrf_token(house: Partner) -> None:
    assert session_open(Client(enforce_csrf_checks=True)).status_code == 403
    assert not Player.objects.exists()


def test_without_a_house_a_visitor_is_sent_to_the_log_in(client: Client) -> None:
    assert client.get(f"/play/{games()[0].slug}/")["Location"].startswith("/accounts/login/")
    assert session_open(client).status_code == 302


def test_sign_up_adds_the_log_in_to_the_guest_s_row(client: Client, house: Partner) -> None:
    session_open(client)
    guest = Player.objects.get()
    moved = WalletTransaction.objects.count()
    former = client.session.session_key
    answer = client.post("/accounts/signup/", SIGN_UP)
    assert answer.status_code == 302
    player = Player.objects.get()
    assert (player.pk, player.reference, player.is_guest) == (guest.pk, "bob", False)
    assert player.user == User.objects.get(username="bob")
    assert WalletTransaction.objects.count() == moved
    assert client.session.session_key != former
    assert "guest_player" not in client.session
    assert client.get("/play/now").json()["balance"] == "1000"


def test_sign_up_without_a_guest_opens_a_player(client: Client, house: Partner) -> None:
    client.post("/accounts/signup/", SIGN_UP)
    assert Player.objects.get().user == User.objects.get(username="bob")


def test_the_browser_s_session_gets_a_new_id_with_the_guest(client: Client, house: Partner) -> None:
    session = client.session
    session["other"] = 1
    session.save()
    former = session.session_key
    client.cookies["sessionid"] = former
    session_open(client)
    assert client.session.session_key != former


def test_a_log_in_elsewhere_merges_nothing(client: Client, house: Partner) -> None:
    other = user_make(password=PASSWORD)
    session_open(client)
    guest = Player.objects.get()
    client.post("/accounts/login/", {"login": other.username, "password": PASSWORD})
    assert client.get("/play/now").status_code == 403  # this log-in has no player, and the guest is not taken instead
    guest.refresh_from_db()
    assert (guest.user, guest.is_guest) == (None, True)
    client.post("/accounts/logout/")
    assert client.get("/play/now").status_code == 302


def test_a_guest_with_a_log_in_is_refused_by_the_database(house: Partner) -> None:
    guest = guest_open()
    with pytest.raises(IntegrityError, match="player_guest_has_no_user"), transaction.atomic():
        Player.objects.filter(pk=guest.pk).update(user=user_make())


def test_an_idle_guest_is_closed_and_its_browser_begins_anew(client: Client, house: Partner) -> None:
    session_open(client)
    guest = Player.objects.get()
    idle_guests_close()
    guest.refresh_from_db()
    assert guest.status == PlayerStatus.ACTIVE
    Player.objects.update(ctime=timezone.now() - timedelta(days=31))
    idle_guests_close()
    guest.refresh_from_db()
    assert guest.status == PlayerStatus.BLOCKED
    assert "30 days" in AuditEntry.objects.get(action="player.status").reason
    assert client.get(f"/play/{games()[0].slug}/").context["table"]["isVisitor"] is True
    guest_close(player_id=guest.pk)
    assert AuditEntry.objects.filter(action="player.status").count() == 1


@pytest.mark.parametrize(("days", "is_idle"), [(29, False), (31, True)])
def test_a_guest_is_idle_by_its_last_round(house: Partner, days: int, is_idle: bool) -> None:
    guest = guest_open()
    now = timezone.now()
    Player.objects.update(ctime=now - timedelta(days=60))
    pair = guest.seed_pairs.get(status="active")
    Round.objects.create(
        partner=house, player=guest, currency_id="FUN", game=games()[0].id, seed_pair=pair, nonce=0, config_version=1,
        stake=0, balance_before=1000, balance_after=1000, how_ended=RoundEnd.PLAYED,
        started_at=now - timedelta(days=days), ended_at=now - timedelta(days=days),
    )  # fmt: skip
    assert (guest.pk in idle_guest_ids()) == is_idle


def test_a_guest_that_came_back_after_it_was_listed_stays(house: Partner) -> None:
    guest = guest_open()
    guest_close(player_id=guest.pk)
    guest.refresh_from_db()
    assert guest.status == PlayerStatus.ACTIVE


@pytest.mark.parametrize("page", ["/tables/", "/tables/{table}/"])
def test_who_follows_an_invitation_to_a_live_table_may_play_as_a_guest(house: Partner, page: str) -> None:
    page = page.format(table=table_make(house).pk)
    browser = Client()
    log_in = browser.get(page, follow=True)
    assert 'action="/guest/"' in log_in.content.decode()
    begun = browser.post("/guest/", {"next": page})
    assert (begun.status_code, begun["Location"]) == (302, page)
    assert browser.get(page).status_code == 200
    guest = Player.objects.get()
    assert (guest.is_guest, guest.partner) == (True, house)
    assert browser.post("/guest/", {"next": "https://elsewhere.example/"})["Location"] == "/tables/"
    assert Player.objects.get() == guest, "a browser with a guest gets no other one"


def test_a_guest_is_offered_for_open_tables_of_the_house_alone(client: Client, house: Partner) -> None:
    foreign, closed = table_make(partner_make()), table_make(house)
    GameTable.objects.filter(pk=closed.pk).update(is_open=False)
    tables = [f"/tables/{table_id}/" for table_id in (foreign.pk, closed.pk, uuid4())]
    for page in (*tables, "/wallet/", "https://elsewhere.example/tables/", "http://[", "no page"):
        assert "/guest/" not in client.get("/accounts/login/", {"next": page}).content.decode(), page
    Partner.objects.update(active=False)
    assert "/guest/" not in client.get("/accounts/login/", {"next": "/tables/"}).content.decode()


def test_guests_at_live_tables_count_as_those_who_deal(house: Partner, settings: Any) -> None:
    settings.PUNTO_GUESTS_PER_HOUR = 1
    assert session_open(Client()).status_code == 200
    refused = Client().post("/guest/", {"next": "/tables/"}, REMOTE_ADDR="203.0.113.7")
    assert refused.status_code == 429
    assert "Too many guests" in refused.content.decode()
    assert Player.objects.count() == 1


def test_a_log_in_begins_no_guest(client: Client, house: Partner) -> None:
    ann = player_make(partner=house, user=user_make())
    client.force_login(ann.user)
    assert client.post("/guest/", {"next": "/tables/"})["Location"] == "/tables/"
    client.force_login(staff_make(Role.AUDITOR))
    client.post("/guest/", {"next": "/tables/"})
    assert Player.objects.get() == ann


def test_a_guest_gets_a_token_for_the_live_tables_and_a_visitor_none(house: Partner) -> None:
    browser = Client()
    visitor = browser.post("/api/auth/token", {}, content_type="application/json")
    assert (visitor.status_code, visitor.json()["code"]) == (401, "AUTH_REQUIRED")
    session_open(browser)
    browser.handler.enforce_csrf_checks = True
    assert browser.get("/tables/").status_code == 200
    forged = browser.post("/api/auth/token", {}, content_type="application/json")
    assert forged.status_code == 403
    token = browser.cookies["csrftoken"].value
    answer = browser.post("/api/auth/token", {}, content_type="application/json", headers={"X-CSRFToken": token})
    assert answer.status_code == 200
    assert TableSession.objects.get().player == Player.objects.get(is_guest=True)


@pytest.mark.parametrize(("days", "is_idle"), [(29, False), (31, True)])
def test_a_guest_at_the_live_tables_is_not_idle(house: Partner, days: int, is_idle: bool) -> None:
    guest = guest_open()
    now = timezone.now()
    Player.objects.update(ctime=now - timedelta(days=60))
    TableSession.objects.create(
        token_hash="0" * 64, player=guest, partner=house, currency_id="FUN", allowed_games=[],
        expires_at=now, active_at=now - timedelta(days=days),
    )  # fmt: skip
    assert (guest.pk in idle_guest_ids()) == is_idle


def test_a_guest_s_browser_keeps_it_for_thirty_days_after_each_day_of_visits(client: Client, house: Partner) -> None:
    session_open(client)
    guest = Player.objects.get()
    assert "sessionid" not in client.get("/").cookies, "one write a day is enough"
    yesterday = client.session
    yesterday[GUEST_DAY_KEY] = "2026-01-01"
    yesterday.save()
    cookie = client.get("/").cookies["sessionid"]
    assert int(cookie["max-age"]) == 30 * 86_400
    assert client.session[GUEST_KEY] == guest.pk


def test_a_signed_up_guest_s_session_lasts_as_long_as_any_log_in_s(
    client: Client, house: Partner, settings: Any
) -> None:
    session_open(client)
    client.post("/accounts/signup/", SIGN_UP)
    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_nobody_signs_up_with_a_name_that_the_audit_has_for_acts_of_no_person(client: Client, house: Partner) -> None:
    session_open(client)
    answer = client.post("/accounts/signup/", SIGN_UP | {"username": "Platform"})
    assert answer.status_code == 200
    assert "Username can not be used" in answer.content.decode()
    assert not User.objects.filter(username__iexact="platform").exists()


def test_an_e_mail_address_given_at_sign_up_does_not_close_the_second_factor(client: Client, house: Partner) -> None:
    client.post("/accounts/signup/", SIGN_UP | {"email": "bob@casino.example"})
    set_up = "/accounts/2fa/totp/activate/"
    asked = client.get(set_up)["Location"]
    page = client.post(asked, {"password": PASSWORD}, follow=True)
    assert (page.request["PATH_INFO"], page.status_code) == (set_up, 200)


def test_a_named_player_is_never_closed_for_idleness(client: Client, house: Partner) -> None:
    session_open(client)
    client.post("/accounts/signup/", SIGN_UP)
    Player.objects.update(ctime=timezone.now() - timedelta(days=400))
    assert idle_guest_ids() == []
