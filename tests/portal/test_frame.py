"""A table in a frame of a partner's page, over HTTP: launch, codes, cookies, and the pages that each site may show in a
frame."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from apps.accounts.models import Player
from apps.partners.models import Partner
from apps.partners.services import partner_frame_origins_set
from apps.portal.frame import MAX_MEMORY_CHARS
from apps.rounds.game_sessions import game_session_find
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import GameSession
from apps.rounds.registry import games
from apps.rounds.services import player_open
from tests.support.factories import partner_make, player_make, user_make
from tests.support.offers import games_offer
from tests.support.partners import PartnerClient

pytestmark = pytest.mark.django_db

ORIGIN = "https://casino.example"
CASHIER = f"{ORIGIN}/cashier"


@pytest.fixture
def system() -> PartnerClient:
    """The system of a partner whose pages at `ORIGIN` may show our tables."""
    partner = partner_make()
    partner_frame_origins_set(partner=partner, frame_origins=[ORIGIN], actor="test")
    partner.refresh_from_db()
    return PartnerClient(partner)


@pytest.fixture
def player(system: PartnerClient) -> Player:
    return player_make(partner=system.partner)


def wish(player: Player, **change: Any) -> dict[str, Any]:
    body = {"player": player.reference, "game_id": games()[0].id, "currency": "FUN", "embed": True}
    return {name: value for name, value in (body | change).items() if value is not None}


def launched(system: PartnerClient, player: Player, **change: Any) -> tuple[str, str]:
    """Return the path of the frame and its code."""
    answer = system.post("/v1/sessions", wish(player, **change))
    assert answer.status == 201, answer.body
    assert "game_session_id" not in answer.body
    path, _, code = answer.body["launch_url"].removeprefix("http://testserver").partition("#")
    return path, code


def ancestors(response: Any) -> str:
    directives = dict(part.strip().partition(" ")[::2] for part in response["Content-Security-Policy"].split(";"))
    return directives["frame-ancestors"]


@pytest.mark.parametrize("game", games(), ids=lambda game: game.slug)
def test_a_code_opens_its_table_once_by_post(system: PartnerClient, game: GameSpec) -> None:
    player = player_make(partner=system.partner)
    games_offer(system.partner)
    path, code = launched(system, player, game_id=game.id, language="de")
    assert path == f"/frame/{system.partner.slug}/{game.slug}/"
    browser = Client()
    assert code not in browser.get(path).content.decode()

    opened = browser.post(path, {"launch_code": code})
    assert opened.status_code == 200
    token = opened.context["table"]["token"]
    session = game_session_find(token=token, game=game.id)
    assert (session.player, session.language) == (player, "de")
    assert "no-store" in opened["Cache-Control"]

    again = browser.post(path, {"launch_code": code})
    assert again.status_code == 401
    assert token not in again.content.decode()


def test_a_get_never_spends_a_code(system: PartnerClient, player: Player) -> None:
    path, code = launched(system, player)
    assert Client().get(path, {"launch_code": code}).status_code == 200
    assert GameSession.objects.get().code_spent_at is None
    assert Client().post(path, {"launch_code": code}).status_code == 200


def test_a_code_is_refused_after_a_minute(system: PartnerClient, player: Player) -> None:
    path, code = launched(system, player)
    session = GameSession.objects.get()
    assert session.code_expires_at is not None
    assert timedelta(0) < session.code_expires_at - timezone.now() <= timedelta(seconds=60)
    GameSession.objects.update(code_expires_at=timezone.now())
    assert Client().post(path, {"launch_code": code}).status_code == 401


def test_a_code_of_another_partner_or_game_is_refused_and_stays_valid(system: PartnerClient, player: Player) -> None:
    path, code = launched(system, player)
    other = partner_make()
    for wrong in (path.replace(system.partner.slug, other.slug), path.replace(games()[0].slug, games()[1].slug)):
        assert wrong != path
        assert Client().post(wrong, {"launch_code": code}).status_code == 401
    assert Client().post(path, {"launch_code": code}).status_code == 200


@pytest.mark.parametrize("code", ["", "x", "0" * 43])
def test_an_invented_code_is_refused(system: PartnerClient, player: Player, code: str) -> None:
    path, _ = launched(system, player)
    answer = Client().post(path, {"launch_code": code})
    assert answer.status_code == 401
    assert "opened again" in answer.content.decode()


def test_the_code_is_stored_as_a_hash_and_a_spent_one_stays_spent(system: PartnerClient, player: Player) -> None:
    path, code = launched(system, player)
    assert code not in str(GameSession.objects.values().get())
    Client().post(path, {"launch_code": code})
    for change in ({}, {"code_hash": None, "code_expires_at": None}):
        with pytest.raises(DatabaseError, match="is spent"), transaction.atomic():
            GameSession.objects.update(code_spent_at=None, **change)


def test_no_cookie_is_set_or_read(system: PartnerClient, player: Player) -> None:
    games_offer(system.partner)
    browser = Client()
    browser.force_login(user_make())
    former = browser.cookies.output()
    path, code = launched(system, player)
    for answer in (browser.get(path), browser.post(path, {"launch_code": code}), browser.post(path)):
        assert not answer.cookies
        assert "Cookie" not in answer.get("Vary", "")
    assert browser.cookies.output() == former


def test_no_cookie_is_set_or_read_where_there_is_no_table(system: PartnerClient) -> None:
    browser = Client()
    user = user_make()
    browser.force_login(user)
    closed = partner_make(active=False)
    game = games()[0].slug
    for path in (f"/frame/nobody/{game}/", f"/frame/{closed.slug}/{game}/", f"/frame/{system.partner.slug}/chess/"):
        answer = browser.get(path)
        assert answer.status_code == 404
        assert not answer.cookies
        assert "Cookie" not in answer["Vary"]
        assert user.get_username() not in answer.content.decode()
        assert ancestors(answer) == "'none'"


def test_the_token_works_without_a_cookie_and_a_csrf_token(system: PartnerClient, player: Player) -> None:
    games_offer(system.partner)
    path, code = launched(system, player)
    token = Client().post(path, {"launch_code": code}).context["table"]["token"]
    browser = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {token}"})
    slug = games()[0].slug
    state = browser.get(f"/play/{slug}/table")
    assert (state.status_code, state.json()["token"]) == (200, token)
    assert browser.post("/seeds/propose", {"client_seed": "mine"}).json() == {"clientSeed": "mine"}
    assert browser.post("/frame/language", {"language": "tlh"}).status_code == 400
    code = browser.post("/frame/language", {"language": "ja"}).json()["launchCode"]
    again = Client().post(path, {"launch_code": code})
    assert (again.status_code, again["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert '<html lang="ja"' in again.content.decode()
    assert browser.get(f"/play/{slug}/table").status_code == 401  # the page in the former language has ended
    browser = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {again.context['table']['token']}"})
    assert browser.post("/frame/close").json() == {"ended": True}
    for refused in (browser.get(f"/play/{slug}/table"), browser.post("/frame/close")):
        assert refused.status_code == 401
        assert not refused.cookies


def test_a_change_of_language_takes_along_what_the_table_remembers(system: PartnerClient, player: Player) -> None:
    games_offer(system.partner)
    path, code = launched(system, player)
    opened = Client().post(path, {"launch_code": code})
    assert opened.context["frame"]["memory"] == ""
    browser = Client(headers={"Authorization": f"Bearer {opened.context['table']['token']}"})
    kept = '{"sessionStorage":[["punto-bet:/</script>","{}"]]}'
    code = browser.post("/frame/language", {"language": "ja", "memory": kept}).json()["launchCode"]
    again = Client().post(path, {"launch_code": code})
    assert again.context["frame"]["memory"] == kept
    assert b"/</script>" not in again.content
    path, code = launched(system, player)  # another launch begins with nothing
    assert Client().post(path, {"launch_code": code, "memory": kept}).context["frame"]["memory"] == ""
    browser = Client(headers={"Authorization": f"Bearer {again.context['table']['token']}"})
    long = browser.post("/frame/language", {"language": "ja", "memory": "x" * (MAX_MEMORY_CHARS + 1)})
    assert (long.status_code, str(MAX_MEMORY_CHARS) in long.content.decode()) == (400, True)


@pytest.mark.parametrize("is_offered", [True, False], ids=["open", "closed"])
@pytest.mark.parametrize("game", games(), ids=lambda game: game.slug)
def test_a_table_in_a_frame_has_no_link_to_a_page_that_no_frame_shows(
    system: PartnerClient, player: Player, game: GameSpec, is_offered: bool
) -> None:
    if is_offered:
        games_offer(system.partner)
    path, code = launched(system, player, game_id=game.id, cashier_url=CASHIER)
    page = Client().post(path, {"launch_code": code}).content.decode()
    assert ('id="table"' in page) == is_offered
    links = set(re.findall(r'<a [^>]*href="([^"]*)"', page))
    assert links <= {"#content", "", CASHIER}


def test_an_invalid_token_is_refused_though_the_browser_is_logged_in(client: Client) -> None:
    client.force_login(user_make())
    assert client.get("/play/now", headers={"Authorization": "Bearer nonsense"}).status_code == 401


def test_a_post_with_a_cookie_alone_still_needs_the_csrf_token(player: Player) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user_make())
    assert browser.post("/seeds/propose", {"client_seed": "mine"}).status_code == 403


def test_only_the_partner_s_origins_may_show_the_table(system: PartnerClient, player: Player) -> None:
    games_offer(system.partner)
    path, code = launched(system, player)
    for answer in (Client().get(path), Client().post(path, {"launch_code": code}), Client().post(path)):
        assert ancestors(answer) == ORIGIN
        assert "X-Frame-Options" not in answer


def test_without_origins_no_page_may_show_the_table(system: PartnerClient) -> None:
    partner_frame_origins_set(partner=system.partner, frame_origins=[], actor="test")
    answer = Client().get(f"/frame/{system.partner.slug}/{games()[0].slug}/")
    assert (ancestors(answer), answer["X-Frame-Options"]) == ("'none'", "DENY")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
        "/launch/",
        "/fairness/",
        "/frame/x/y/",
    ],
)
def test_no_other_page_can_be_framed(system: PartnerClient, path: str) -> None:
    answer = Client().get(path)
    assert (ancestors(answer), answer["X-Frame-Options"]) == ("'none'", "DENY")


@pytest.mark.parametrize(
    "path", ["/wallet/", "/accounts/email/", "/accounts/password/change/", "/accounts/2fa/", "/admin/"]
)
def test_no_page_of_a_log_in_can_be_framed(system: PartnerClient, client: Client, path: str) -> None:
    client.force_login(user_make())
    answer = client.get(path)
    assert (ancestors(answer), answer["X-Frame-Options"]) == ("'none'", "DENY")


# What a partner may ask for


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cashier_url": "http://casino.example/cashier"}, "cashier_url"),
        ({"cashier_url": "https://elsewhere.example/cashier"}, "cashier_url"),
        ({"cashier_url": "https://casino.example:8443/cashier"}, "cashier_url"),
        ({"cashier_url": "https://casino.example@elsewhere.example/"}, "cashier_url"),
        ({"cashier_url": "https://elsewhere.example@casino.example/"}, "cashier_url"),
        ({"cashier_url": "cashier"}, "cashier_url"),
        ({"language": "tlh"}, "language"),
        ({"language": None, "embed": "true"}, "embed"),
        ({"embed": 1}, "embed"),
        ({"game_id": None}, "game_id"),
        ({"game_id": None, "gameType": "baccarat"}, "game_id"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_by_its_field(
    system: PartnerClient, player: Player, change: dict[str, Any], field: str
) -> None:
    answer = system.post("/v1/sessions", wish(player, **change))
    assert (answer.status, answer.body["code"], answer.body["field"]) == (400, "BAD_REQUEST", field)
    assert not GameSession.objects.exists()


def test_a_partner_without_origins_cannot_embed(system: PartnerClient, player: Player) -> None:
    partner_frame_origins_set(partner=system.partner, frame_origins=[], actor="test")
    answer = system.post("/v1/sessions", wish(player))
    assert (answer.status, answer.body["field"]) == (400, "embed")
    assert "no frame origins" in answer.body["detail"]


def test_the_system_reads_and_replaces_its_origins(system: PartnerClient) -> None:
    read = system.get("/v1/frame-origins").body
    assert read == {"frame_origins": [ORIGIN], "version": read["version"]}
    wanted = ["HTTPS://B.example:443", "https://a.example:8443", "https://b.example/"]
    answer = system.put("/v1/frame-origins", {"frame_origins": wanted})
    assert answer.body["frame_origins"] == ["https://a.example:8443", "https://b.example"]
    assert system.get("/v1/frame-origins").body == answer.body
    stale = system.put("/v1/frame-origins", {"frame_origins": [], "version": read["version"]})
    assert (stale.status, stale.body["code"]) == (409, "OUTDATED_VERSION")
    assert stale.body["detail"].startswith("this has been changed since it was read: ")
    assert "frame_origins" in stale.body["detail"]
    assert system.put("/v1/frame-origins", {"frame_origins": [], "version": "x"}).body["field"] == "version"
    assert system.get("/v1/frame-origins").body == answer.body
    again = system.put("/v1/frame-origins", {"frame_origins": [ORIGIN], "version": answer.body["version"]})
    assert again.body == read


@pytest.mark.parametrize(
    "origin",
    [
        "http://casino.example",
        "https://*.casino.example",
        "*",
        "https://casino.example/lobby",
        "https://casino.example?x",
        "https://me@casino.example",
        "https://casino.example; script-src *",
        "https://casino.example https://other.example",
        "casino.example",
        "null",
        "",
        "https://casino.example:99999",
        "http://localhost:9000",
        "http://127.0.0.1",
    ],
)
def test_an_origin_that_is_none_is_refused(system: PartnerClient, origin: str) -> None:
    answer = system.put("/v1/frame-origins", {"frame_origins": [origin]})
    assert (answer.status, answer.body["code"]) == (400, "BAD_REQUEST")
    assert answer.body["field"].startswith("frame_origins")
    assert Partner.objects.get(pk=system.partner.pk).frame_origins == [ORIGIN]


@pytest.mark.parametrize(
    "origins",
    [
        ["https://*.example"],
        ["http://casino.example"],
        ["https://a.example;x"],
        ["https://a.example", None],
        [""],
        [f"https://{number}.example" for number in range(21)],
    ],
)
def test_the_database_refuses_what_is_no_origin(system: PartnerClient, origins: list[Any]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Partner.objects.filter(pk=system.partner.pk).update(frame_origins=origins)


# Money


def test_a_launched_player_without_money_gets_the_cashier_s_address(system: PartnerClient) -> None:
    games_offer(system.partner)
    poor = player_make(partner=system.partner)
    rich = player_make(partner=system.partner, balance=Decimal(1000))
    for who, offer in ((poor, {"url": CASHIER}), (rich, None)):
        path, code = launched(system, who, cashier_url=CASHIER)
        assert Client().post(path, {"launch_code": code}).context["table"]["cashier"] == offer


def test_a_launched_page_leads_a_player_without_money_to_the_cashier(system: PartnerClient, client: Client) -> None:
    games_offer(system.partner)
    for balance, offer in ((Decimal(0), f'{{"url": "{CASHIER}"}}'), (Decimal(1000), "null")):
        who = player_make(partner=system.partner, balance=balance)
        answer = system.post("/v1/sessions", wish(who, embed=None, cashier_url=CASHIER))
        page = client.get(answer.body["launch_url"].removeprefix("http://testserver"), follow=True).content.decode()
        assert f'id="cashier" data-offer="{escape(offer)}"' in page


@pytest.mark.parametrize(
    ("currency", "address", "words"),
    [
        ("EUR", None, "Your balance is too low for a bet. Your casino's own page has the cashier.</p>"),
        ("EUR", CASHIER, "Your balance is too low for a bet.</p> <a"),
        ("FUN", None, None),
    ],
)
def test_a_player_without_real_money_is_told_of_the_cashier_also_without_its_address(
    system: PartnerClient, client: Client, currency: str, address: str | None, words: str | None
) -> None:
    games_offer(system.partner, currency)
    who = player_open(partner=system.partner, reference="poor", currency_code=currency)
    answer = system.post("/v1/sessions", wish(who, embed=None, currency=currency, cashier_url=address))
    page = client.get(answer.body["launch_url"].removeprefix("http://testserver"), follow=True).content.decode()
    assert ('id="cashier"' in page) == (words is not None)
    if words:
        assert words in " ".join(page.split())
        assert page.count('data-offer="{&quot;url&quot;') == 1


def test_a_launch_that_is_refused_for_a_moment_is_shown_in_the_partners_frame_and_keeps_its_code(
    system: PartnerClient, player: Player, settings: Any
) -> None:
    settings.PUNTO_LAUNCHES_PER_S = 1
    path, code = launched(system, player, language="de")
    browser = Client(HTTP_ACCEPT_LANGUAGE="de")
    answers = [browser.post(path, {"launch_code": "other"}), browser.post(path, {"launch_code": code})]
    assert [answer.status_code for answer in answers] == [401, 429]
    refused = answers[1]
    assert ancestors(refused) == ORIGIN
    assert "X-Frame-Options" not in refused.headers
    assert refused["Retry-After"] == "1"
    assert not refused.cookies
    page = refused.content.decode()
    assert f'name="launch_code" value="{code}"' in page
    assert '"code": "RATE_LIMITED"' in page
    settings.PUNTO_LAUNCHES_PER_S = None
    assert browser.post(path, {"launch_code": code}).status_code == 200
