"""The player's pages over HTTP: access, sign-up, seeds, launch links."""

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from html import unescape
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.core.mail import EmailMessage
from django.http import Http404
from django.test import Client, RequestFactory
from django.utils import timezone
from django.views import defaults

from apps.accounts.models import Player, Role, User
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules
from apps.blackjack.page import rule_lines
from apps.core.models import Currency
from apps.fairness.models import SeedPair, SeedStatus
from apps.portal.history import ROUNDS_A_PAGE
from apps.portal.templatetags.portal import signed_money
from apps.rounds.game_sessions import game_session_open
from apps.rounds.game_spec import GameSpec
from apps.rounds.launch_options import Launch
from apps.rounds.models import GameSession, Round
from apps.rounds.registry import games
from apps.rounds.services import player_open
from apps.wallet.models import WalletTransaction
from tests.support.blackjack import blackjack_offer
from tests.support.factories import partner_make, staff_make, user_make

pytestmark = pytest.mark.django_db

PLAYER_PAGES = ["/", "/play/baccarat/", "/play/blackjack/", "/wallet/", "/history/", "/seeds/"]
PUBLIC_PAGES = ["/", "/fairness/", "/fairness/how/", "/fairness/rtp/", "/accounts/login/", "/accounts/signup/"]
PASSWORD = "open sesame 99"


@pytest.fixture
def house() -> object:
    return partner_make(is_house=True)


@pytest.fixture
def player(house: object) -> Player:
    user = user_make(password=PASSWORD)
    return player_open(partner=house, reference=user.username, currency_code="FUN", user=user)  # type: ignore[arg-type]


@pytest.fixture
def browser(client: Client, player: Player) -> Client:
    client.force_login(player.user)  # type: ignore[arg-type]
    return client


def sign_up(client: Client, username: str) -> int:
    form = {"username": username, "password1": PASSWORD, "password2": PASSWORD}
    return client.post("/accounts/signup/", form).status_code


@pytest.mark.parametrize(("status", "title"), [(403, "Not allowed"), (404, "Nothing here"), (500, "Something broke")])
def test_a_failing_page_shows_our_error_page(status: int, title: str) -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    request.session = {}  # type: ignore[assignment]
    views = {
        403: lambda: defaults.permission_denied(request, PermissionDenied()),
        404: lambda: defaults.page_not_found(request, Http404()),
        500: lambda: defaults.server_error(request),
    }
    answer = views[status]()
    assert answer.status_code == status
    assert f"<h1>{title}</h1>" in answer.content.decode()
    assert "/static/portal/css/base" in answer.content.decode()


@pytest.mark.parametrize(
    ("amount", "shown"), [("1234.5", "+1,234.50"), ("-0.1", "\N{MINUS SIGN}0.10"), ("0", "0.00"), ("0E-8", "0.00")]
)
def test_a_change_has_a_sign_unless_it_is_zero(amount: str, shown: str) -> None:
    assert signed_money(Decimal(amount), Currency(code="FUN", decimals=2)) == shown


def test_a_sign_up_opens_an_account_with_play_money(client: Client, house: object) -> None:
    assert sign_up(client, "ann") == 302
    player = Player.objects.get(user__username="ann")
    assert player.partner == house
    assert list(WalletTransaction.objects.values_list("kind", "change", "balance_after")) == [
        ("deposit", Decimal(1000), Decimal(1000))
    ]
    assert "1,000.00" in client.get("/").content.decode()


def test_a_taken_name_is_refused(client: Client, house: object) -> None:
    player_open(partner=house, reference="bob", currency_code="FUN")  # type: ignore[arg-type]
    assert sign_up(client, "bob") == 200
    assert not User.objects.filter(username="bob").exists()


@pytest.mark.parametrize("name", ["a b", "ünal", "x" * 33, "ab"])
def test_names_that_are_invalid_references_are_refused(client: Client, house: object, name: str) -> None:
    assert sign_up(client, name) == 200
    assert not User.objects.exists()


def test_without_a_house_there_is_no_sign_up(client: Client) -> None:
    assert "closed" in client.get("/accounts/signup/").content.decode().lower()


@pytest.mark.parametrize("path", PUBLIC_PAGES)
def test_public_pages_need_no_log_in(client: Client, house: object, path: str) -> None:
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", PLAYER_PAGES)
def test_a_player_sees_its_own_pages(browser: Client, path: str) -> None:
    assert browser.get(path).status_code == 200


@pytest.mark.parametrize("path", PLAYER_PAGES[1:])
def test_a_visitor_is_sent_to_the_log_in(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={path}")


def test_the_log_in_link_of_the_live_tables_leads_back_to_the_whole_address(browser: Client) -> None:
    here = "/tables/?beside=&from=a%26b"
    query = urlsplit(browser.get(here).context["page"]["loginUrl"]).query
    assert parse_qs(query) == {"next": [here]}


def test_a_log_in_of_the_back_office_cannot_play(client: Client) -> None:
    client.force_login(staff_make(Role.AUDITOR))
    answer = client.get("/play/baccarat/")
    assert answer.status_code == 403
    assert "does not play" in answer.content.decode()


def test_another_player_s_round_is_404(browser: Client, house: object) -> None:
    other = player_open(partner=house, reference="other", currency_code="FUN")  # type: ignore[arg-type]
    foreign = Round.objects.create(
        partner=other.partner,
        player=other,
        currency_id="FUN",
        game="og-baccarat",
        seed_pair=SeedPair.objects.get(player=other, status=SeedStatus.ACTIVE),
        nonce=0,
        config_version=1,
        stake=1,
        balance_before=1,
        balance_after=0,
    )
    assert browser.get(f"/history/{foreign.pk}/").status_code == 404
    assert browser.get(f"/history/{uuid4()}/").status_code == 404


def test_new_seeds_reveal_the_old_server_seed(browser: Client, player: Player) -> None:
    page = browser.get("/seeds/").content.decode()
    commitment = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE).commitment
    assert commitment in page
    answer = browser.post("/seeds/", {"client_seed": "lucky-7"}, follow=True)
    revealed = SeedPair.objects.get(player=player, status=SeedStatus.REVEALED)
    assert revealed.commitment == commitment
    assert revealed.server_seed in answer.content.decode()
    assert "lucky-7" in answer.content.decode()


def test_an_invalid_client_seed_is_refused(browser: Client, player: Player) -> None:
    refused = browser.post("/seeds/", {"client_seed": "a|b"})
    assert refused.status_code == 200
    assert refused.content.decode().count("autofocus") == 1
    assert not SeedPair.objects.filter(status=SeedStatus.REVEALED).exists()


def test_the_printed_python_deals_the_printed_example(client: Client) -> None:
    page = client.get("/fairness/how/").content.decode()
    program = unescape(re.search(r'<pre id="check-python"[^>]*>(.*?)</pre>', page, re.DOTALL)[1])  # type: ignore[index]
    example = re.findall(r'id="example-(?:commitment|cards)">([^<]+)<', page)
    printed = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == example


def launch_token(game: str) -> str:
    """Open a session for a partner's player, as the partner's system does."""
    player = player_open(partner=partner_make(), reference="guest", currency_code="EUR")
    launch = Launch(return_url="https://casino.example/")
    return game_session_open(player=player, game=game, currency_code="EUR", launch=launch)[1]


def test_a_launch_link_opens_its_game_for_its_player(client: Client) -> None:
    token = launch_token(BACCARAT)
    answer = client.get(f"/launch/?game_session_id={token}")
    assert (answer.status_code, answer["Location"]) == (302, "/play/baccarat/")
    assert client.get("/wallet/").status_code == 200
    assert client.get("/play/blackjack/")["Location"] == "/play/baccarat/"
    player = GameSession.objects.get().player
    assert client.post("/play/blackjack/session", {"player": player.pk}).status_code == 403
    assert GameSession.objects.count() == 1
    assert client.post("/leave/")["Location"] == "https://casino.example/"
    assert client.get("/wallet/").status_code == 302


def test_an_expired_launch_link_is_explained(client: Client) -> None:
    assert client.get(f"/launch/?game_session_id={uuid4()}").status_code == 401


def test_the_browser_can_set_the_first_client_seed_once(browser: Client, player: Player) -> None:
    assert browser.post("/seeds/propose", {"client_seed": "mine"}).json() == {"clientSeed": "mine"}
    assert browser.post("/seeds/propose", {"client_seed": "again"}).json() == {"clientSeed": "mine"}
    assert SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE).client_seed == "mine"


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        pytest.param({"decks": 1}, "The cards come from one deck, fresh each round.", id="one-deck"),
        pytest.param({"decks": 9}, "The cards come from an endless shoe, fresh each round.", id="endless"),
        pytest.param({"dealer_hits_soft_17": True}, "The dealer hits soft 17.", id="soft-17"),
        pytest.param({"double_after_split": False}, "Double on any two cards, not after a split.", id="double"),
        pytest.param({"insurance": "off"}, "No insurance.", id="insurance"),
        pytest.param({"split_non_ace": 0, "split_ace": 0}, "Pairs are not split.", id="split"),
    ],
)
def test_rules_are_described_in_sentences(rules: dict[str, object], sentence: str) -> None:
    assert sentence in rule_lines(BlackjackRules.from_json(rules, base=SOLO_RULES))


@pytest.mark.parametrize(
    ("page", "is_linked"),
    [
        ("http://testserver/wallet/?page=2", True),
        ("https://elsewhere.example/wallet/", False),
        ("javascript:alert(1)", False),
    ],
)
def test_a_form_that_is_too_old_is_explained_and_its_page_is_linked(player: Player, page: str, is_linked: bool) -> None:
    answer = Client(enforce_csrf_checks=True).post("/leave/", headers={"Referer": page})
    assert answer.status_code == 403
    text = answer.content.decode()
    assert "This form is too old" in text
    assert (f'href="{page}"' in text) is is_linked
    assert is_linked or page not in text


def test_a_forgotten_password_is_reset_by_mail(client: Client, player: Player, mailoutbox: list[EmailMessage]) -> None:
    client.post("/accounts/password/reset/", {"email": player.user.email})  # type: ignore[union-attr]
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mailoutbox[0].body))[1]  # type: ignore[index]
    form = client.get(link, follow=True)
    new = {"password1": "another word 77", "password2": "another word 77"}
    client.post(form.redirect_chain[-1][0], new)
    assert client.login(username=player.user.username, password="another word 77")  # type: ignore[union-attr]


def test_a_long_history_takes_no_more_queries_than_a_short_one(
    browser: Client, player: Player, django_assert_max_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    pair = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)
    for nonce in range(ROUNDS_A_PAGE):
        Round.objects.create(
            partner=player.partner, player=player, currency_id="FUN", game=BACCARAT, seed_pair=pair, nonce=nonce,
            config_version=1, stake=1, balance_before=1, balance_after=0, how_ended="played", ended_at=timezone.now(),
        )  # fmt: skip
    with django_assert_max_num_queries(9):
        assert browser.get("/history/").content.decode().count("Details<span") == ROUNDS_A_PAGE


def test_an_inactive_side_bet_has_no_spot(browser: Client, player: Player) -> None:
    config = blackjack_offer(player.partner)
    assert 'data-spot="poker"' in browser.get("/play/blackjack/").content.decode()
    config.poker_min = config.poker_max = 0
    config.save()
    page = browser.get("/play/blackjack/").content.decode()
    assert 'data-spot="poker"' not in page
    assert 'data-spot="perfectPairs"' in page


@pytest.mark.parametrize("game", games(), ids=lambda game: game.slug)
def test_a_game_without_an_offer_has_a_closed_table(browser: Client, game: GameSpec) -> None:
    text = browser.get(f"/play/{game.slug}/").content.decode()
    assert f"{game.title} is not offered in FUN at the moment." in text
    assert 'id="table"' not in text


def test_an_unknown_table_is_404(browser: Client) -> None:
    for path in ("/play/poker/", "/play/poker/table"):
        assert browser.get(path).status_code == 404
    assert browser.post("/play/poker/session").status_code == 404
