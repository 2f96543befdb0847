"""The panel beside a table: rounds are verified in place, figures are those of the ledger, and hints are shown on
request."""

import re
from decimal import Decimal

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Locator, Page, expect

from apps.accounts.models import Player
from apps.accounts.services import user_preferences_set
from apps.baccarat.engine import Winner
from apps.blackjack.decisions import values_computed
from apps.blackjack.engine.rules import SOLO_RULES
from apps.rounds.models import Round, RoundEnd
from tests.e2e.kept_windows import EMPTY_PAGE
from tests.e2e.layouts import layout_faults, overflowing
from tests.e2e.window import AXE_OPTIONS, Window, axe_run, page_faults, panel_open
from tests.support import baccarat, blackjack
from tests.support.long_form import IS_LONG
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-layout")

SIZES = [(1280, 720), (390, 844), (844, 390)]
"""The panel stands beside the table in the first size, and is a sheet in the others. `make test` replays a round beside
the table, and shows hints in the sheet of the narrowest window."""
LANGUAGES = [code for code, _ in settings.LANGUAGES] if IS_LONG else ["de"]
GAMES = ("blackjack", "baccarat", "dragon_tiger")[: 3 if IS_LONG else 1]
"""German has the longest words, and blackjack the most tabs; `make soak` takes every language and game."""
LONG_SESSION = """() => {
  const name = "punto-session-FUN";
  const session = JSON.parse(sessionStorage.getItem(name));
  sessionStorage.setItem(name, JSON.stringify({ ...session, startedAt: Date.now() - 3720_000 }));
}"""
"""The session began an hour and two minutes ago."""


LATE_SCRIPTS = re.compile(r"/(round-details|redeal)\.js$")
NO_ANSWER = "The casino does not answer now. Try again in a moment."


def part(page: Page, name: str) -> str:
    return page.locator(f"[data-part={name}]").inner_text()


def id_of(element: Locator) -> str:
    return element.get_attribute("id") or ""


def open_panel(page: Page, width: int) -> None:
    if width < 1180:
        page.get_by_role("button", name="Rounds, odds and rules").click()


@pytest.mark.parametrize("size", SIZES if IS_LONG else [SIZES[0]], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_round_is_replayed_and_verified_beside_the_table(
    browser: Browser, shared_server: Server, player: Player, size: tuple[int, int]
) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.BANKER, rounds=2)
    width, height = size
    # A kept window would have the late scripts in its memory, and no route would see them.
    with Window.open(browser, shared_server, width=width, height=height, cold=True) as window:
        window.log_in(player)
        page = window.go("/play/baccarat/")
        window.place("Banker", "Tie")
        window.button("Deal").click()
        window.expect_verdict("returned")
        window.button("Rebet and deal").click()
        expect(page.locator("#balance")).to_have_text("999.90")
        assert layout_faults(page) == []
        open_panel(page, width)
        # The figures are those of the ledger: two stakes of 2, each of which brings 1.95 back.
        expect(page.locator("[data-part=session-staked]")).to_have_text("4.00")
        expect(page.locator("[data-part=session-returned]")).to_have_text("3.90")
        expect(page.locator("[data-part=session-net]")).to_have_text("\N{MINUS SIGN}0.10")
        assert player.wallets.get().balance - 1000 == Decimal("-0.1")
        figures, tabs = (page.locator(part).bounding_box() for part in (".session", ".tabs"))
        assert figures
        assert tabs
        assert figures["y"] + figures["height"] <= tabs["y"]
        # The arrow keys go through the tabs; each is accessible.
        tab = page.get_by_role("tab", name="Roads")
        expect(tab).to_be_enabled()
        tab.focus()
        for name in ("Roads", "Rounds", "Odds", "Rules"):
            expect(page.get_by_role("tab", name=name)).to_be_focused()
            shown = page.get_by_role("tabpanel", name=name)
            expect(shown).to_be_visible()
            is_whole = IS_LONG or name == "Roads"  # what is around the panel is the same then
            assert (page_faults(page) if is_whole else axe_run(page, AXE_OPTIONS, within=f"#{id_of(shown)}")) == []
            page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name="Roads")).to_be_focused()
        page.keyboard.press("ArrowRight")
        # The Tab key leads from the tabs through the panel to the newest round, which opens in place.
        newest = page.locator(".round-row").first
        expect(newest).to_be_visible()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(newest).to_be_focused()
        # The scripts that open and check a round are loaded at that moment. If that fails, the page says so, and the
        # player may try again.
        window.expected = ["net::ERR_FAILED"]
        window.route(LATE_SCRIPTS, lambda route: route.abort())
        page.keyboard.press("Enter")
        expect(page.locator(".round-details").first).to_have_text(NO_ANSWER)
        page.keyboard.press("Enter")
        expect(newest).to_have_attribute("aria-expanded", "false")
        page.unroute(LATE_SCRIPTS)
        page.keyboard.press("Enter")
        expect(newest).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".step-words")).to_contain_text("Banker wins")
        page.get_by_role("group", name="Replay").get_by_role("button", name="Start").click()
        expect(page.locator(".step-words")).to_contain_text("1 of")
        expect(page.get_by_text("secret until you change the client seed")).to_be_visible()
        result = page.locator(".check-result")
        check = page.get_by_role("button", name="Change the client seed and verify")
        window.route(LATE_SCRIPTS, lambda route: route.abort())
        check.click()
        expect(result).to_have_text(NO_ANSWER)
        page.unroute(LATE_SCRIPTS)
        check.click()
        expect(result).to_contain_text("The server seed is the one that was committed to.")
        expect(result).to_contain_text("cards are the ones that you were dealt.")
        expect(result.locator(".error, .differs")).to_have_count(0)
        expect(page.get_by_role("button", name="Verify this round")).to_be_visible()
        assert page_faults(page) == []
        pair = player.seed_pairs.get(status="revealed")
        expect(page.locator(".round-facts")).to_contain_text(pair.server_seed)
        if width < 1180:
            # No key reaches the table through the sheet, wherever the focus is.
            page.keyboard.press("b")
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("b")
            page.keyboard.press("Escape")
            expect(page.get_by_role("button", name="Rounds, odds and rules")).to_be_focused()
        window.expect_balance("999.90")
        assert player.rounds.count() == 2


@pytest.mark.soak
@pytest.mark.parametrize("path", [f"/play/{slug}/" for slug in GAMES])
def test_settings_and_panel_fit_in_every_language(window: Window, player: Player, path: str) -> None:
    blackjack.seeds_choose(player, blackjack.values_are(1, 6, 10, 10), cards=4)  # a natural ends the round at once
    window.log_in(player)
    page = window.go(path)
    page.locator("[data-spot]:not(.side):enabled").first.click()
    page.locator("[data-part=deal]:enabled").click()
    window.await_true(lambda: Round.objects.exclude(how_ended=RoundEnd.OPEN).exists())
    found: list[str] = []
    assert player.user is not None
    for language in LANGUAGES:
        user_preferences_set(user=player.user, language=language, time_zone="")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            window.go(path)
            expect(page.locator("html")).to_have_attribute("lang", language)
            panel_open(page.locator(".settings"))
            found += [f"{language} {width} settings: {fault}" for fault in [*overflowing(page), *layout_faults(page)]]
            page.keyboard.press("Escape")
            if width < 1180:
                page.locator("[data-part=panel-open]").click()
            for tab in page.get_by_role("tab").all():
                tab.click()
                expect(tab).to_have_attribute("aria-selected", "true")
                found += [f"{language} {width} {tab.inner_text()}: {fault}" for fault in overflowing(page)]
            page.locator("#tab-rounds").click()
            page.locator(".round-row").first.click()
            expect(page.locator(".step-words")).not_to_be_empty()
            found += [f"{language} {width} round: {fault}" for fault in overflowing(page)]
    assert found == [], "\n".join(found)


def test_the_roads_say_what_each_side_s_win_would_add(window: Window, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER, rounds=2)
    window.log_in(player)
    page = window.go("/play/baccarat/")
    window.place("Player")
    for _ in range(2):
        window.button("Deal").click()
        window.expect_verdict("You win 1.00 FUN.")
        window.place("Player")
    expect(page.locator("[data-part=bead]")).to_have_text("PP")
    for width, height in ((1280, 900), SIZES[0]):
        page.set_viewport_size({"width": width, "height": height})
        for road in ("Bead plate", "Big road", "Big eye boy", "Small road", "Cockroach pig"):
            expect(page.get_by_role("region", name=road, exact=True)).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("Each round is dealt from a fresh shoe")).to_be_visible()
    supposed = page.get_by_role("button", name="If banker")
    supposed.focus()
    page.keyboard.press("Enter")
    expect(supposed).to_have_attribute("aria-pressed", "true")
    expect(supposed).to_be_focused()
    expect(page.locator("[data-part=bead]")).to_have_text("PPB")
    expect(page.locator(".supposed")).to_have_count(2)
    assert page_faults(page) == []
    supposed.click()
    expect(page.locator("[data-part=bead]")).to_have_text("PP")


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES if IS_LONG else [SIZES[1]], ids=lambda size: f"{size[0]}x{size[1]}")
def test_hints_are_off_until_the_player_wants_them_and_values_are_exact(
    browser: Browser, shared_server: Server, player: Player, size: tuple[int, int]
) -> None:
    blackjack.seeds_choose(player, blackjack.values_are(10, 6, 2, 10), cards=4)
    width, height = size
    with Window.open(browser, shared_server, width=width, height=height) as window:
        window.log_in(player)
        page = window.go("/play/blackjack/")
        expect(page.locator("[data-part=line]")).to_have_attribute("data-line", "up")
        page.locator("[data-spot=main]").click()
        window.button("Deal").click()
        expect(page.locator("[data-choice=Stand]")).to_be_enabled()
        expect(page.locator("[data-part=acting]")).to_have_attribute("data-advised", "")
        open_panel(page, width)
        page.get_by_role("tab", name="Hints").click()
        switch = page.get_by_role("tabpanel", name="Hints").get_by_role("button", name="Hints")
        expect(switch).to_have_attribute("aria-pressed", "false")
        switch.click()
        expect(page.locator("[data-part=acting]")).to_have_attribute("data-advised", "Stand")
        advice = page.locator("[data-part=advice]")
        expect(advice).to_contain_text("Basic strategy: stand.")
        expect(advice).not_to_contain_text("Expected result")
        page.get_by_role("button", name="Exact values").click()
        facts = {"values": [2, 10], "upcard": 6, "gone": [], "is_split": False, "splits_left": 1, "is_question": False}
        for name, value in values_computed(SOLO_RULES, facts).items():
            row = advice.locator("dl div").filter(has=page.get_by_text(name, exact=True))
            expect(row.locator("dd")).to_have_text(f"{value:+.6f}".replace("-", "\N{MINUS SIGN}"))
        assert page_faults(page) == []
        if width < 1180:
            window.button("Close").click()
        assert layout_faults(page) == []
        page.locator("[data-choice=Hit]").click()
        expect(page.locator("[data-part=verdict]")).to_be_visible()
        stand = page.locator("[data-choice=Stand]")
        expect(stand.or_(page.locator("[data-part=hands] .badge:not(:empty)")).first).to_be_visible()
        if stand.is_visible():
            stand.click()
        window.expect_verdict("Your hand:")
        open_panel(page, width)
        expect(advice).to_contain_text("You played: hit. Best play would have been: stand.")
        assert page_faults(page) == []
        expect(page.locator("[data-part=session-staked]")).to_have_text(re.compile("^[1-9]"))
        window.go(EMPTY_PAGE)  # an answer that the panel still awaits would store the session as it was
        page.evaluate(LONG_SESSION)
        window.go("/play/blackjack/")
        expect(page.locator("[data-part=hints]")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("[data-part=session-clock]")).to_have_text(re.compile(r"^1:0[2-9]:\d\d$"))
        shown = part(page, "session-clock")
        expect(page.locator("[data-part=session-clock]")).not_to_have_text(shown)  # it goes on
