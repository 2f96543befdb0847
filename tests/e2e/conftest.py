"""A real browser at the real server. An error in a page's console fails the test that opened the page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from apps.accounts.models import Player, User
from apps.partners.models import Partner
from apps.rounds.services import player_open
from tests.e2e.window import PASSWORD, Window
from tests.support.baccarat import offer_make
from tests.support.blackjack import blackjack_offer
from tests.support.chromium import kept_chromium
from tests.support.factories import partner_make
from tests.support.offers import games_offer
from tests.support.server import Server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=int, help="how many rounds of each game tests/e2e/test_theatre.py plays")
    parser.addoption(
        "--pictures", help="a folder for pictures of every state, which tests/e2e/test_live_states.py takes"
    )


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Browser:
    """A Chromium, which stays open for the next test with a browser. It paints whole pages if pictures are taken."""
    return kept_chromium.open(paints=bool(request.config.getoption("pictures", default=None)))


@pytest.fixture
def house(committed: None) -> Partner:
    """The house, which offers every game."""
    partner = partner_make(is_house=True)
    offer_make(partner)
    blackjack_offer(partner)
    games_offer(partner)
    return partner


@pytest.fixture
def player(house: Partner) -> Player:
    """A player of the house with 1,000.00 FUN, whose client seed is chosen."""
    user = User.objects.create_user("ann", password=PASSWORD)
    player = player_open(partner=house, reference="ann", currency_code="FUN", user=user)
    player.seed_pairs.filter(status="active").update(client_seed_chosen=True)
    return player


@pytest.fixture
def window(browser: Browser, committed: None, shared_server: Server) -> Iterator[Window]:
    """A window of a desktop's size without animations."""
    with Window.open(browser, shared_server) as opened:
        yield opened


@pytest.fixture
def phone(browser: Browser, committed: None, shared_server: Server) -> Iterator[Window]:
    """A window of a phone's size without animations."""
    with Window.open(browser, shared_server, width=390, height=844) as opened:
        yield opened
