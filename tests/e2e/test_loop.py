"""The controls of a table for one player: limits at the spots, chips, repeated bets, keys, speeds."""

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from apps.accounts.models import Player
from apps.baccarat.engine import Winner
from apps.blackjack.models import BlackjackConfig
from apps.cards.card import Card
from apps.core.models import Currency
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import games
from tests.e2e.layouts import layout_faults
from tests.e2e.window import Window
from tests.support import baccarat
from tests.support.blackjack import blackjack_offer, seeds_choose, values_are
from tests.support.factories import player_make
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-loop")

TABLES = [f"/play/{game.slug}/" for game in games()]
PAUSES = {"Normal": 430, "Fast": 194, "Instant": 34}
"""Milliseconds between two cards at each speed."""
MAX_MS = {"Normal": 2600, "Fast": 1200, "Instant": 300}
"""The most milliseconds from a click to the next one."""
SHARES = {"Normal": 1, "Fast": 0.45, "Instant": 0.08}
WAITED = """() => {
  const real = window.setTimeout;
  window.waited = [];
  window.part = 1 / 20;
  window.setTimeout = (act, ms) => {
    if (ms < 3000) window.waited.push(Math.round(ms));
    return real(act, ms < 3000 ? ms * window.part : ms);
  };
}"""
"""Counts the pauses and shortens them. Timeouts of the network stay as they are."""
FLOWN = """() => {
  window.flown = 0;
  window.titles = [];
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    window.flown += added.filter((node) => node.classList?.contains("flying")).length;
  }).observe(document.querySelector("#table"), { childList: true });
  const verdict = document.querySelector("[data-part=verdict]");
  new MutationObserver(() => window.titles.push(verdict.firstElementChild?.textContent)).observe(verdict, {
    childList: true, subtree: true, characterData: true,
  });
}"""
CARDS_LIE = """() => Math.max(...[...document.querySelectorAll("#table playing-card")].map((card) => {
  const { animationDelay, animationDuration } = getComputedStyle(card);
  return 1000 * (Number.parseFloat(animationDelay) + Number.parseFloat(animationDuration));
}))"""
"""The time at which the last card lies there, in milliseconds."""
BET_URL = "**/api/game/baccarat/bet"
USABLE = """() => [...document.querySelectorAll(".table-place :is(button, input):enabled")]
  .filter((control) => control.checkVisibility()).map((control) => control.outerHTML)"""


def dealer_busts_with_one_card(cards: Sequence[Card]) -> bool:
    """Whether a player without blackjack wins by standing, and is not asked for insurance."""
    first, up, second, hole, drawn = [card.value for card in cards]
    return {first, second} != {1, 10} and 1 not in (up, hole) and 12 <= up + hole <= 16 and up + hole + drawn > 21


def sit(window: Window, player: Player, path: str = "/play/baccarat/") -> Page:
    window.log_in(player)
    page = window.go(path)
    expect(page.get_by_role("radio").first).to_be_visible()
    if "blackjack" in path:
        expect(page.locator("[data-part=line]")).to_contain_text("Connected")
    return page


def expect_staked(window: Window, amount: str) -> None:
    expect(window.page.locator("[data-part=staked]")).to_have_text(amount)


def expect_problem(window: Window, text: str) -> None:
    expect(window.page.locator("[data-part=problem]")).to_have_text(text)


@pytest.fixture
def cold_window(browser: Browser, committed: None, shared_server: Server) -> Iterator[Window]:
    """A window that has no script in its memory, so a route sees each of them."""
    with Window.open(browser, shared_server, cold=True) as opened:
        yield opened


def test_no_control_can_be_used_before_its_script_is_connected_and_chips_come_before_spots_for_the_keyboard(
    cold_window: Window, player: Player
) -> None:
    window = cold_window
    window.log_in(player)
    held: list[Route] = []
    released: set[str] = set()

    def hold(route: Route) -> None:
        if urlsplit(window.page.url).path in released:
            route.continue_()
        else:
            held.append(route)

    window.page.route("**/*.js", hold)
    for path in TABLES:
        window.page.goto(path, wait_until="commit")
        expect(window.page.locator("#table-data")).to_be_attached()  # which follows the table
        window.await_true(lambda: bool(held))
        assert window.page.locator("[data-spot]").count() >= 3
        assert window.page.evaluate(USABLE) == []
        released.add(path)
        while held:
            held.pop().continue_()
        window.page.locator("[data-spot]:not(.side)").first.click()
        expect_staked(window, "1.00")
        window.page.get_by_role("radio").first.focus()
        window.page.keyboard.press("Tab")
        expect(window.page.locator("[data-part=spots] button").first).to_be_focused()


def test_a_spot_stops_at_its_limit_and_keys_halve_double_raise_undo_and_clear_bets(
    window: Window, player: Player
) -> None:
    page = sit(window, player)
    window.chip("500.00")
    window.place("Player", "Player")
    expect_problem(window, "")
    page.keyboard.press("c")
    window.chip("25.00")
    window.place("Banker")
    window.chip("500.00")
    window.place("Banker")
    window.chip("25.00")
    page.keyboard.press("x")
    expect_problem(window, "Banker takes 1,000.00 FUN at most.")
    expect_staked(window, "1,000.00")
    page.keyboard.press("c")
    window.place("Player", "Tie", "Player")
    for key, staked in [
        ("x", "150.00"), ("x", "300.00"), ("z", "150.00"), ("u", "300.00"), ("u", "150.00"), ("m", "999.99"),
        ("c", "0.00"), ("u", "999.99"), ("c", "0.00"),
    ]:  # fmt: skip
        page.keyboard.press(key)
        expect_staked(window, staked)
    assert not Round.objects.exists()


def test_chips_follow_the_balance(window: Window, player: Player) -> None:
    page = sit(window, player)
    window.chip("500.00")
    window.place("Player", "Banker", "Tie")
    expect_problem(window, "Your balance of 1,000.00 FUN is too low for that.")
    expect_staked(window, "1,000.00")
    window.button("Deal").click()
    window.expect_verdict("returned")
    balance = player.wallets.get().balance
    expect(page.get_by_role("radio", name="1,000.00 FUN", exact=True)).to_have_attribute(
        "aria-disabled", "true" if balance < 1000 else "false"
    )


@pytest.mark.soak
def test_side_bets_show_their_own_limits_and_keep_them_and_a_hasty_key_plays_no_move(
    window: Window, player: Player
) -> None:
    BlackjackConfig.objects.filter(partner=player.partner).update(poker_min=5, poker_max=50)
    seeds_choose(player, values_are(10, 6, 2, 10, 10), cards=5)
    page = sit(window, player, "/play/blackjack/")
    expect(page.locator("[data-spot=poker] .spot-limits")).to_have_text("5 to 50")
    window.place("Your bet", "21+3")
    expect_problem(window, "21+3 takes 5.00 FUN or more.")
    window.button("Deal").click()
    expect_problem(window, "21+3 takes 5.00 FUN or more.")
    window.chip("100.00")
    window.place("21+3")
    expect_problem(window, "21+3 takes 50.00 FUN at most.")
    expect_staked(window, "51.00")
    assert not Round.objects.exists()
    page.keyboard.press("c")
    window.chip("1.00")
    window.place("Your bet")
    window.button("Deal").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-choice=Hit]")).to_be_enabled()
    expect(page.get_by_role("group", name="Your move")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    page.keyboard.press("s")
    window.expect_verdict("Your hand:")
    expect(page.locator("[data-part=hands] playing-card")).to_have_count(2)


def test_chips_of_a_currency_with_eight_decimals_are_within_the_limits(window: Window, house: Partner) -> None:
    currency, _ = Currency.objects.get_or_create(code="BTC", defaults={"name": "Bitcoin", "decimals": 8})
    low = player_make(balance=Decimal("0.01"), currency=currency.pk)
    blackjack_offer(low.partner, currency="BTC", bet_min=Decimal("0.0005"))
    BlackjackConfig.objects.filter(partner=low.partner).update(bet_max=Decimal("0.05"))
    _, token = game_session_open(
        player=low, game=next(game.id for game in games() if game.slug == "blackjack"), currency_code="BTC"
    )
    page = window.go(f"/launch/?game_session_id={token}")
    chips = page.get_by_role("radio")
    expect(chips.nth(0)).to_have_accessible_name("0.00050000 BTC")
    expect(chips.nth(0)).to_have_text("500µ")
    expect(page.locator(".chips .chip")).to_have_text(["500µ", "2.5m", "0.01", "0.05"])
    assert layout_faults(page) == []


def without_last_deal(route: Route) -> None:
    """Answer with the page, or with its state, as it is ten minutes after the last deal."""
    answer = route.fetch()
    if route.request.url.endswith("/table"):
        route.fulfill(json=answer.json() | {"last": None})
        return
    html = answer.text()
    found = re.search(r'<script id="table-data"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert data["last"]
    route.fulfill(body=html.replace(found[1], json.dumps(data | {"last": None})), content_type="text/html")


def test_the_last_bets_are_dealt_again_with_one_key_after_a_reload(window: Window, player: Player) -> None:
    page = sit(window, player)
    window.chip("5.00")
    window.place("Player", "Tie")
    window.button("Deal").click()
    window.expect_verdict("returned")
    window.expected = ["LOCAL_NETWORK_ACCESS"]  # Chromium's remark on the page that the test answers itself
    window.route(re.compile("/play/baccarat/(table)?$"), without_last_deal)
    page.reload()
    expect(page.locator("playing-card")).to_have_count(0)
    page.keyboard.press("b")
    window.expect_verdict("Staked 10.00 FUN")
    page.unroute_all(behavior="wait")
    window.go("/play/dragon_tiger/")
    expect(window.button("Rebet and deal")).to_be_disabled()
    assert sorted(Round.objects.values_list("stake", flat=True)) == [10, 10]


def test_space_deals_placed_chips_and_nothing_else_and_the_favourite_bet_is_placed_after_a_reload(
    window: Window, player: Player
) -> None:
    page = sit(window, player)
    page.keyboard.press("Space")
    expect(page.locator("[data-part=favourite]")).to_be_disabled()
    window.place("Player")
    page.keyboard.press("Space")
    window.expect_verdict("Staked 1.00 FUN")
    expect_staked(window, "1.00")
    assert Round.objects.count() == 1
    window.chip("5.00")
    window.place("Tie", "Banker")
    window.button("Save as favourite bet").click()
    page.reload()
    window.button("Place favourite bet").click()
    expect_staked(window, "10.00")
    expect(page.get_by_role("button", name="Banker, 0.95 to 1, staked 5.00 FUN")).to_be_visible()


def test_the_balance_is_reduced_by_the_stake_while_cards_are_dealt_and_a_refused_bet_gives_it_back(
    window: Window, player: Player
) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER)
    page = sit(window, player)
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    window.route(BET_URL, hold)
    window.chip("100.00")
    window.place("Player")
    window.button("Deal").click()
    window.expect_balance("900.00")
    expect_staked(window, "100.00")
    window.await_true(lambda: bool(waiting))
    waiting[0].continue_()
    window.expect_balance("1,100.00")
    expect_staked(window, "100.00")
    window.expected = ["status of 403"]
    player.wallets.update(status="blocked")
    window.button("Rebet and deal").click()
    window.expect_balance("1,000.00")
    window.await_true(lambda: len(waiting) == 2)
    waiting[1].continue_()
    expect_problem(window, "Play is blocked for your account. Ask the operator.")
    window.expect_balance("1,100.00")
    expect(page.locator("[data-part=problem]")).not_to_contain_text("wallet")


def test_a_click_skips_the_cards_and_presses_nothing(browser: Browser, shared_server: Server, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: len(deal.player) == len(deal.banker) == 3, rounds=2)
    with Window.open(browser, shared_server, motion=True) as window:
        page = sit(window, player)
        window.place("Player")
        page.evaluate(
            "() => { const real = window.setTimeout;"
            " window.setTimeout = (act, ms) => real(act, ms === 430 ? 1e9 : ms); }"
        )  # the pauses never end by themselves
        cards, tie = page.locator("#table playing-card"), page.locator("[data-spot='3']")
        window.button("Deal").click()
        expect(cards).to_have_count(1)
        # The panel handles its keys.
        page.get_by_role("tab", name="Roads").focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name="Rounds")).to_be_focused()
        expect(cards).to_have_count(1)
        # A press that is released elsewhere skips too, and the next click is not taken for its own.
        tie.hover(force=True)
        page.mouse.down()
        page.mouse.move(5, 200)
        page.mouse.up()
        window.expect_verdict("returned")
        window.button("Rebet and deal").press("Enter")
        expect(cards).to_have_count(1)
        tie.click(force=True)
        window.expect_verdict("returned")
        expect_staked(window, "1.00")
        expect(page.get_by_role("button", name="Tie, 8 to 1, no stake")).to_be_visible()
        assert Round.objects.count() == 2


def test_the_speed_is_kept_and_shortens_every_pause(browser: Browser, shared_server: Server, player: Player) -> None:
    """The pauses are counted and cut short."""
    baccarat.seeds_choose(player, lambda deal: len(deal.player) == len(deal.banker) == 3, rounds=len(PAUSES))
    with Window.open(browser, shared_server, motion=True) as window:
        page = sit(window, player)
        for speed, pause in PAUSES.items():
            window.settings()
            page.get_by_label(speed).check()
            page.reload()
            expect(page.get_by_label(speed)).to_be_checked()
            page.evaluate(WAITED)
            window.place("Player")
            window.button("Deal").click()
            window.expect_verdict("returned")
            assert page.evaluate("waited").count(pause) == 6
            assert 6 * pause <= MAX_MS[speed]


@pytest.mark.soak
def test_blackjack_keeps_the_speeds_and_moves_again_after_a_skip(
    browser: Browser, shared_server: Server, player: Player
) -> None:
    seeds_choose(player, dealer_busts_with_one_card, cards=5, rounds=len(SHARES))
    with Window.open(browser, shared_server, motion=True) as window:
        page = sit(window, player, "/play/blackjack/")
        page.evaluate(WAITED)
        page.evaluate(FLOWN)
        stand = page.locator("[data-choice=Stand]")
        window.place("Your bet")
        window.settings()
        page.get_by_label("Normal").press("Enter")
        assert window.button("Deal").is_enabled()  # it has not dealt
        page.keyboard.press("Escape")
        for number, (speed, share) in enumerate(SHARES.items(), start=1):
            window.settings()
            page.get_by_label(speed).check()
            page.keyboard.press("Escape")
            page.evaluate("waited.length = 0")
            if speed == "Normal":
                page.evaluate("part = 1e6")
                window.button("Deal").click()
                expect(page.locator("[data-part=hands] playing-card")).to_have_count(2)
                expect(stand).to_have_count(0)  # the pause never ends by itself
                page.keyboard.press("s")
                page.evaluate("part = 1 / 20")
            else:
                page.keyboard.press("b")
            expect(stand).to_be_enabled()
            deal_ms, pause_ms, card_ms = (int(ms * share + 0.5) for ms in (1230, 600, 450))
            assert deal_ms in page.evaluate("waited.splice(0)")
            assert page.evaluate(CARDS_LIE) <= deal_ms + 1
            page.evaluate("() => { flown = 0; titles.length = 0; }")
            page.keyboard.press("s")
            window.expect_verdict("You win 1.00 FUN.")
            played = page.evaluate("waited")  # the dealer shows a card and draws one
            assert min(played.count(pause_ms), played.count(card_ms)) >= 2
            assert max(deal_ms, 2 * pause_ms + 2 * card_ms) <= MAX_MS[speed]
            assert page.evaluate("flown") == 1
            # The gain counts up from 0.00, in as many frames as the machine can draw.
            assert page.evaluate("titles.filter((title) => title.startsWith('You win')).length") > 1
            assert Round.objects.exclude(how_ended=RoundEnd.OPEN).count() == number
