"""Pages while they load: what is in sight stays where it is when the scripts have filled the page."""

import pytest
from playwright.sync_api import Page, Route, expect

from apps.accounts.models import Player
from apps.partners.models import Partner
from tests.e2e.live_table import TableWindow
from tests.e2e.window import Window
from tests.support.long_form import IS_LONG
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-tables")

GAMES = ["baccarat", "blackjack"] if IS_LONG else ["blackjack"]
SIZES = [(390, 844), (844, 390), (1280, 720)]
LEAST_PART = 0.05
"""A part moves if it moves by more than this part of the window's height."""
PLACES = """(selector) => Object.fromEntries([...document.querySelectorAll(selector)]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }))
  .map((element) => [
    element.dataset.part || element.id || element.localName, Math.min(innerHeight, element.getBoundingClientRect().top),
  ]))"""
"""The tops of the visible parts; those below the window all have its height."""


def places_before_scripts(page: Page, address: str, parts: str) -> dict[str, float]:
    """Return where the parts of a page are whose scripts have not come yet."""

    def answer_empty(route: Route) -> None:
        route.fulfill(body="", content_type="text/javascript")

    page.route("**/*.js", answer_empty)
    page.goto(address)
    places: dict[str, float] = page.evaluate(PLACES, parts)
    page.unroute("**/*.js", answer_empty)
    return places


def moved(page: Page, before: dict[str, float], parts: str) -> list[str]:
    """Return the parts in sight that have moved since."""
    after = page.evaluate(PLACES, parts)
    height = page.evaluate("innerHeight")
    assert before
    return [
        f"{name}: {top} to {after.get(name)}"
        for name, top in before.items()
        if abs(after.get(name, height) - top) > LEAST_PART * height
    ]


@pytest.mark.soak
def test_the_lists_of_tables_stay_where_they_are_when_their_scripts_come(
    window: Window, player: Player, house: Partner
) -> None:
    tables = [table_make(house, currency="FUN", name=f"A table, number {number}") for number in range(4)]
    window.log_in(player)
    page = window.page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        parts = "#create-panel, footer, #rooms, .room"
        before = places_before_scripts(page, "/tables/", parts)
        expect(page.get_by_role("link", name=tables[0].name)).to_have_attribute("href", f"/tables/{tables[0].pk}/")
        window.go("/tables/")
        expect(page.locator(".room .tag")).to_have_count(len(tables))
        assert moved(page, before, parts) == [], (width, height)
        before = places_before_scripts(page, "/", "#tiles")
        window.go("/")
        expect(page.locator("#lobby-search")).to_be_enabled()
        assert moved(page, before, "#tiles") == [], (width, height)
    places_before_scripts(page, f"/tables/?beside={tables[0].pk}", "#rooms")
    expect(page.locator(".room a")).to_have_count(len(tables) - 1)
    expect(page.get_by_role("link", name=tables[1].name)).to_have_attribute(
        "href", f"/tables/?open={tables[0].pk},{tables[1].pk}"
    )


@pytest.mark.parametrize("game_type", GAMES)
def test_a_live_table_stays_where_it_is_when_its_scripts_come(
    window: Window, player: Player, house: Partner, game_type: str
) -> None:
    table = table_make(house, game_type=game_type, currency="FUN", name="Still")
    here = TableWindow(window, table.pk)
    window.log_in(player)
    page = window.page
    parts = "footer, .live [data-part=rail], .live [data-part=house], .live [data-part=about], .live details.panel"
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        before = places_before_scripts(page, here.path, parts)
        expect(here.part("name")).to_have_text("Still")
        expect(here.part("sit")).to_be_disabled()
        here.follow()
        expect(here.part("history").locator("*").first).to_be_attached()
        assert moved(page, before, parts) == [], (width, height)
    expect(here.part("rules-panel")).to_be_visible()


@pytest.mark.parametrize("game", GAMES)
def test_a_table_asks_for_a_chip_once_there_are_chips(window: Window, player: Player, game: str) -> None:
    window.log_in(player)
    page = window.page
    verdict = page.locator("[data-part=verdict]")
    places_before_scripts(page, f"/play/{game}/", "[data-part=verdict]")
    expect(verdict).to_have_text("The table is loading…")
    expect(page.locator("[data-part=chips] .chip")).to_have_count(0)
    window.go(f"/play/{game}/")
    expect(page.locator("[data-part=chips] .chip").first).to_be_visible()
    expect(verdict).to_have_text("Choose a chip, then a spot to place it on.")
