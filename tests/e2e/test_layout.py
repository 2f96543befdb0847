"""A table is whole in the window: nothing of it needs scrolling, with three bets and with ten."""

import pytest
from playwright.sync_api import Browser, Page, expect

from apps.accounts.models import Player
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig
from apps.rounds.registry import games
from tests.e2e.layouts import SIZES, layout_faults
from tests.e2e.window import Window
from tests.support.baccarat import odds_set, seeds_choose
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-layout")

LOW_ODDS = "1"
"""Below the fair odds of every side bet."""


def ten_bets_offer(player: Player) -> None:
    config = BaccaratConfig.objects.get(partner=player.partner)
    for bet in list(GameType)[3:]:
        odds_set(config, bet, LOW_ODDS)


def top_of(page: Page, part: str) -> float:
    box = page.locator(f"[data-part={part}]").bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.parametrize("slug", [game.slug for game in games()])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_table_is_whole_in_the_window(
    browser: Browser, shared_server: Server, player: Player, size: tuple[int, int], slug: str
) -> None:
    width, height = size
    with Window.open(browser, shared_server, width=width, height=height) as window:
        window.log_in(player)
        page = window.go(f"/play/{slug}/")
        expect(page.get_by_role("radio").first).to_be_visible()
        page.locator("button[data-spot]").first.click()
        assert layout_faults(page) == []
        assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("size", [*SIZES, (320, 640), (1280, 800)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_table_with_ten_bets_is_whole_in_every_state_of_a_round(
    browser: Browser, shared_server: Server, player: Player, size: tuple[int, int]
) -> None:
    ten_bets_offer(player)
    seeds_choose(player, lambda deal: len(deal.player) == len(deal.banker) == 3)
    width, height = size
    with Window.open(browser, shared_server, width=width, height=height) as window:
        window.log_in(player)
        page = window.go("/play/baccarat/")
        spots = page.locator("button[data-spot]")
        expect(spots).to_have_count(10)
        assert layout_faults(page) == []
        for index in range(10):
            spots.nth(index).click()
        assert layout_faults(page) == []
        before = (top_of(page, "deal"), top_of(page, "spots"), page.evaluate("scrollY"))
        window.button("Deal").click()
        window.expect_verdict("came back")
        assert layout_faults(page) == []
        assert (top_of(page, "deal"), top_of(page, "spots"), page.evaluate("scrollY")) == before
