"""The language, the time zone and the form of amounts on players' pages."""

import re
import zoneinfo
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import translation

from apps.accounts.models import User
from apps.accounts.services import user_preferences_set
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.core.errors import BadRequest, Busy, Conflict
from apps.core.models import Currency
from apps.fairness.models import SeedPair, SeedStatus
from apps.portal.languages import time_zone_names
from apps.portal.refusals import refusal_sentence
from apps.portal.templatetags.portal import money, signed_money
from apps.rounds.game_sessions import game_session_open
from apps.rounds.launch_options import Launch
from apps.rounds.models import Round
from apps.rounds.services import player_open
from tests.support.factories import partner_make, user_make

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    user = user_make()
    player_open(partner=partner_make(is_house=True), reference="ann", currency_code="FUN", user=user)
    return user


def shown(client: Client, path: str = "/fairness/", **headers: str) -> str:
    """Return the language of the page."""
    page = client.get(path, headers=headers).content.decode()
    return re.search(r'<html lang="([a-z]+)"', page)[1]  # type: ignore[index]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        pytest.param("de-AT,de;q=0.9,en;q=0.5", "de", id="variety"),
        pytest.param("pt-BR", "pt", id="brazilian"),
        pytest.param("ja,en", "ja", id="japanese"),
        pytest.param("ko", "en", id="unknown"),
        pytest.param("", "en", id="none"),
    ],
)
def test_a_visitor_has_the_browser_s_language(client: Client, accepted: str, language: str) -> None:
    answer = client.get("/fairness/", headers={"Accept-Language": accepted})
    assert f'<html lang="{language}"' in answer.content.decode()
    assert answer["Content-Language"] == language
    assert {"Accept-Language", "Cookie"} <= set(answer["Vary"].split(", "))


def test_a_choice_is_kept_by_the_browser_and_leads_back_to_the_page(client: Client) -> None:
    answer = client.post("/language/", {"language": "fr", "next": "/fairness/how/"})
    assert (answer.status_code, answer["Location"]) == (302, "/fairness/how/")
    assert shown(client, **{"Accept-Language": "de"}) == "fr"


def test_a_choice_never_leads_to_another_site(client: Client) -> None:
    assert client.post("/language/", {"language": "fr", "next": "https://evil.example/"})["Location"] == "/"


def test_an_unknown_language_is_refused(client: Client) -> None:
    assert client.post("/language/", {"language": "tlh"}).status_code == 400


def test_the_account_s_language_goes_before_cookie_and_browser(client: Client, user: User) -> None:
    client.force_login(user)
    client.post("/language/", {"language": "es"})
    user.refresh_from_db()
    assert user.language == "es"
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "fr"
    assert shown(client, "/wallet/", **{"Accept-Language": "de"}) == "es"


def test_a_launch_link_sets_the_language_and_leaves_the_browser_s_account_alone(client: Client, user: User) -> None:
    client.force_login(user)
    client.post("/language/", {"language": "es"})
    guest = player_open(partner=partner_make(), reference="guest", currency_code="EUR")
    _, token = game_session_open(player=guest, game=BACCARAT, currency_code="EUR")
    client.get(f"/launch/?game_session_id={token}&lang=ja")
    assert shown(client, "/wallet/") == "ja"
    client.post("/language/", {"language": "pt"})
    assert shown(client, "/wallet/") == "pt"
    user.refresh_from_db()
    assert user.language == "es"


def test_a_launch_s_language_is_the_page_s_unless_the_link_names_another(client: Client) -> None:
    guest = player_open(partner=partner_make(), reference="guest", currency_code="EUR")
    wish = Launch(language="fr")
    _, token = game_session_open(player=guest, game=BACCARAT, currency_code="EUR", launch=wish)
    client.get(f"/launch/?game_session_id={token}")
    assert shown(client, "/wallet/") == "fr"
    client.get(f"/launch/?game_session_id={token}&lang=de")
    assert shown(client, "/wallet/") == "de"
    client.get(f"/launch/?game_session_id={token}&lang=xx")
    assert shown(client, "/wallet/") == "fr"


def test_a_refusal_is_a_sentence_for_players_in_their_language(client: Client, user: User) -> None:
    user_preferences_set(user=user, language="de", time_zone="")
    client.force_login(user)
    Round.objects.create(
        partner=user.player.partner,
        player=user.player,
        currency_id="FUN",
        game=BACCARAT,
        seed_pair=SeedPair.objects.get(player=user.player, status=SeedStatus.ACTIVE),
        nonce=0,
        config_version=1,
        stake=1,
        balance_before=1,
        balance_after=0,
    )
    page = client.post("/seeds/", {"client_seed": "lucky-7"}).content.decode()
    assert "Eine Runde ist offen. Beenden Sie sie erst." in page
    assert "a round is open" not in page


def test_a_refusal_without_a_sentence_of_its_own_has_the_general_one() -> None:
    with translation.override("fr"):
        assert {refusal_sentence(kind("words of the API")) for kind in (Busy, Conflict)} == {
            "La table est occupée. Réessayez dans un instant.",
            "Cela n'a pas marché. Rechargez la page et réessayez.",
        }


def test_the_mail_of_a_forgotten_password_is_in_the_language(client: Client, user: User) -> None:
    user.email = "ann@example.com"
    user.save(update_fields=["email"])
    client.post("/language/", {"language": "de"})
    client.post("/accounts/password/reset/", {"email": "ann@example.com"})
    assert "Passwort" in mail.outbox[0].subject + mail.outbox[0].body


@pytest.mark.parametrize("path", ["/admin/login/", "/v1/nothing", "/api/nothing"])
def test_the_back_office_and_the_apis_stay_in_english(client: Client, path: str) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    answer = client.get(path, headers={"Accept-Language": "de"})
    assert 'lang="de"' not in answer.content.decode()
    assert "Content-Language" not in answer


def test_a_page_after_another_reader_s_has_its_own_language(client: Client) -> None:
    assert shown(client, **{"Accept-Language": "de"}) == "de"
    assert translation.get_language() == "en"
    assert shown(client) == "en"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "999,999,999,999.12345678"),
        ("de", "999.999.999.999,12345678"),
        ("es", "999\N{NO-BREAK SPACE}999\N{NO-BREAK SPACE}999\N{NO-BREAK SPACE}999,12345678"),
        ("fr", "999\N{NO-BREAK SPACE}999\N{NO-BREAK SPACE}999\N{NO-BREAK SPACE}999,12345678"),
        ("pt", "999.999.999.999,12345678"),
        ("ja", "999,999,999,999.12345678"),
    ],
)
def test_an_amount_has_the_signs_of_the_language_and_all_its_digits(language: str, text: str) -> None:
    with translation.override(language):
        assert money(Decimal("999999999999.12345678"), Currency(code="XBT", decimals=8)) == text
        assert signed_money(Decimal("-0.00000001"), Currency(code="XBT", decimals=8)) == "\N{MINUS SIGN}" + re.sub(
            "[.,]", "," if "," in text[-9:] else ".", "0.00000001"
        )


@pytest.mark.parametrize(
    ("language", "heading", "button"),
    [
        ("en", "Baccarat, blackjack and dragon tiger, and every card can be checked", "Play baccarat"),
        ("de", "Baccara, Blackjack und Dragon Tiger, und jede Karte lässt sich prüfen", "Baccara spielen"),
        ("es", "Bacará, blackjack y dragón tigre, y cada carta se puede comprobar", "Jugar al bacará"),
        ("fr", "Baccara, blackjack et dragon tigre, et chaque carte est vérifiable", "Jouer au baccara"),
        ("pt", "Bacará, blackjack e dragão tigre, e cada carta pode ser verificada", "Jogar bacará"),
        ("ja", "バカラ、ブラックジャック、ドラゴンタイガーのすべてのカードを検証できます", "バカラをプレイ"),
    ],
)
def test_the_front_page_names_the_games_as_the_language_does(
    client: Client, language: str, heading: str, button: str
) -> None:
    page = client.get("/", headers={"Accept-Language": language}).content.decode()
    assert f"<h1>{heading}</h1>" in page
    assert f'href="/play/baccarat/">{button}</a>' in page


def test_times_are_in_the_account_s_zone_before_the_browser_s(client: Client, user: User) -> None:
    client.force_login(user)
    client.cookies[settings.PUNTO_TIME_ZONE_COOKIE] = "Asia/Tokyo"
    assert "+09:00" in client.get("/wallet/").content.decode()
    user_preferences_set(user=user, language="", time_zone="America/Phoenix")
    page = client.get("/wallet/").content.decode()
    assert "-07:00" in page
    assert 'data-time-zone="America/Phoenix"' in page


def test_a_time_zone_that_the_browser_invents_is_ignored(client: Client, user: User) -> None:
    client.force_login(user)
    client.cookies[settings.PUNTO_TIME_ZONE_COOKIE] = "../../etc/passwd"
    assert "+00:00" in client.get("/wallet/").content.decode()


@pytest.fixture
def new_zone(tmp_path: Path) -> Iterator[str]:
    """A place whose time zone this process knows and PostgreSQL does not, as after an upgrade of one of them."""
    paths = zoneinfo.TZPATH
    place = tmp_path / "America" / "Atlantis"
    place.parent.mkdir()
    place.write_bytes(next(file for path in paths if (file := Path(path, "Asia", "Tokyo")).exists()).read_bytes())
    zoneinfo.reset_tzpath([str(tmp_path), *paths])
    time_zone_names.cache_clear()
    yield "America/Atlantis"
    zoneinfo.reset_tzpath(paths)
    time_zone_names.cache_clear()


def test_a_time_zone_that_postgresql_does_not_know_yet_is_ignored(client: Client, user: User, new_zone: str) -> None:
    assert new_zone in zoneinfo.available_timezones()
    client.force_login(user)
    client.cookies[settings.PUNTO_TIME_ZONE_COOKIE] = new_zone
    answer = client.get("/wallet/")
    assert answer.status_code == 200
    assert "+00:00" in answer.content.decode()
    assert new_zone not in client.get("/preferences/").content.decode()


def test_preferences_are_saved_and_answered_in_the_new_language(client: Client, user: User) -> None:
    client.force_login(user)
    assert client.get("/preferences/").status_code == 200
    answer = client.post("/preferences/", {"language": "de", "time_zone": "Europe/Berlin"}, follow=True)
    user.refresh_from_db()
    assert (user.language, user.time_zone) == ("de", "Europe/Berlin")
    assert '<html lang="de"' in answer.content.decode()


@pytest.mark.parametrize("wrong", [{"language": "tlh"}, {"time_zone": "Mars/Olympus"}])
def test_unknown_preferences_are_refused(user: User, wrong: dict[str, str]) -> None:
    with pytest.raises(BadRequest):
        user_preferences_set(user=user, **{"language": "", "time_zone": ""} | wrong)
