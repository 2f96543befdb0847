"""The animations of a table: moving chips, a win that counts up, the squeeze, felts; and many rounds in a row."""

from decimal import Decimal

import pytest
from django.db.models import Sum
from django.utils.formats import number_format
from playwright.sync_api import Browser, Page, expect

from apps.accounts.models import Player
from apps.baccarat.engine import Winner
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import Round, RoundEnd
from apps.tables.models import GameTable
from apps.wallet.models import WalletTransaction
from tests.e2e.felt_contrast import felt_contrast_faults
from tests.e2e.live_table import HOUR, NOW, TableWindow, felt_height
from tests.e2e.window import Window, page_faults
from tests.support import baccarat
from tests.support.dealt_tables import gain
from tests.support.long_form import IS_LONG
from tests.support.offers import games_tried
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-theatre")

FELTS = ("Green", "Blue", "Red")
ROUNDS = 5
"""The number of rounds of each game in the suite. `--rounds 100` plays the long run (docs/scripts.md)."""
WATCH = """(root) => {
  const clock = performance.now.bind(performance);
  let now = clock();
  performance.now = () => (now = Math.min(now + 20, clock()));
  window.flown = 0;
  window.titles = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node.classList?.contains("flying")) window.flown += 1;
    }
  }).observe(document.querySelector(root), { childList: true });
  new MutationObserver(() => {
    window.titles.push(document.querySelector("[data-part=verdict] strong")?.textContent ?? "");
  }).observe(document.querySelector("[data-part=verdict]"), { childList: true, subtree: true, characterData: true });
}"""
"""Counts the chips that fly, and records each title of the verdict. A gain counts on by 20 ms at most from one frame to
the next, however late the frame is."""
CARD_DELAYS = """(root) => [...root.querySelectorAll(".live-house playing-card")]
  .map((card) => Number.parseFloat(card.style.animationDelay)).sort((one, other) => one - other)"""
"""The time at which each card came, in milliseconds."""

RUNNING = "document.getAnimations().filter(({ playState }) => playState === 'running').length"


def sit(window: Window, player: Player, path: str = "/play/baccarat/") -> Page:
    window.log_in(player)
    return window.go(path)


def test_chips_move_and_only_a_real_win_counts_up(browser: Browser, shared_server: Server, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER, rounds=2)
    with Window.open(browser, shared_server, motion=True) as window:
        page = sit(window, player)
        page.evaluate("localStorage.setItem('punto-pace', 'fast')")
        page.reload()
        page.evaluate(WATCH, "#table")
        window.chip("100.00")
        window.place("Player")
        assert page.evaluate("flown") == 1
        window.button("Deal").click()
        window.expect_verdict("You win 100.00 FUN.")
        assert page.evaluate("flown") == 2
        counted = page.evaluate("titles.filter((title) => title.includes('You win'))")
        assert len(counted) > 2
        assert counted[-1].endswith("You win 100.00\N{NO-BREAK SPACE}FUN.")
        expect(page.locator(".flying")).to_have_count(0)
        # 100 on the winner and 500 on the loser: there is a payout, and it is no win.
        page.evaluate("titles.length = 0")
        window.chip("500.00")
        window.place("Banker")
        window.chip("100.00")
        window.place("Player")
        window.button("Deal").click()
        window.expect_verdict("You lose 400.00 FUN.")
        assert [title for title in page.evaluate("titles") if "You win" in title] == []


def test_nothing_moves_with_reduced_motion(window: Window, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER)
    page = sit(window, player)
    page.evaluate(WATCH, "#table")
    window.place("Player")
    window.button("Deal").click()
    window.expect_verdict("You win 1.00 FUN.")
    expect(page.locator("[data-side=player] playing-card").first).to_have_css("animation-duration", "1e-05s")
    assert page.evaluate("flown") == 0
    assert len(page.evaluate("titles.filter((title) => title.includes('You win'))")) == 1


def test_a_live_table_has_speed_felt_moving_chips_and_a_win_that_counts_up(
    browser: Browser, shared_server: Server, player: Player
) -> None:
    table = table_make(player.partner, game_type="baccarat", currency="FUN", seats=1, window_s=30, pause_s=30)
    with Window.open(browser, shared_server, motion=True) as window:
        here, page = TableWindow(window, table.pk), window.page
        here.open(player)
        window.settings()
        page.get_by_label("Fast", exact=True).check()
        page.get_by_label("Blue", exact=True).check()
        here.follow()
        expect(page.locator("html")).to_have_attribute("data-felt", "blue")
        window.settings()
        assert page_faults(page) == []
        expect(page.get_by_label("Fast", exact=True)).to_be_checked()
        page.keyboard.press("Escape")
        stakes = [{"player": 2500, "banker": 100}]
        won, lost = (lambda deal, _: gain(table, deal) > 0), (lambda deal, _: gain(table, deal) < 0)
        here.contribute(table, stakes, won, lost, won)
        here.take(1)
        page.evaluate(WATCH, f"#table-{table.pk}")
        # 25 on the winner counts up. 25 on the loser and 1 on the winner: there is a payout, and it is no win.
        for net, is_won, size in (("+24.00", True, (1280, 900)), ("\N{MINUS SIGN}24.05", False, (390, 844))):
            live_round_play(here, table, size)
            if is_won:
                window.expect_verdict("You win 24.00 FUN.")  # the gain has counted to its end
            titles = [title for title in page.evaluate("titles") if "You win" in title]
            assert len(titles) > 2 if is_won else titles == []
            window.await_true(lambda: page.evaluate("flown") == 3)
            expect(page.locator(".flying")).to_have_count(0)
            expect(here.root.locator(".seat.own .seat-net")).to_have_text(net)
            assert here.root.evaluate(CARD_DELAYS)[1] == 430 * 0.45
            deadlines_set(table, NOW)
        page.emulate_media(reduced_motion="reduce")
        live_round_play(here, table, (844, 390))
        window.expect_verdict("You win 24.00 FUN.")
        assert page.evaluate("flown") == 0
        assert len([title for title in page.evaluate("titles") if "You win" in title]) == 1


def live_round_play(here: TableWindow, table: GameTable, size: tuple[int, int]) -> None:
    """Play a round with 25 on the player and 1 on the banker in a window of this size. The spots keep their places with
    their chips, and a bet and a result have room, so nothing jumps.
    """
    page = here.window.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    here.expect_phase("betting")
    expect(here.spot("Player")).to_be_visible()  # the spots come a moment after the phase and the seat
    deadlines_set(table, HOUR)
    page.evaluate("() => { titles.length = 0; flown = 0; }")
    height = felt_height(here)
    for amount, spot in (("25.00", "Player"), ("1.00", "Banker")):
        here.window.chip(amount)
        here.bet(spot)
    assert felt_height(here) == height
    here.part("ready").click()
    here.expect_phase("pause")
    deadlines_set(table, HOUR)
    here.window.expect_verdict("Staked 26.00 FUN")
    expect(here.part("spots").locator("[aria-disabled=true]:has(.chip)")).to_have_count(2)
    assert felt_height(here) == height


def test_the_last_card_is_squeezed_by_keys_and_by_dragging(window: Window, player: Player) -> None:
    page = sit(window, player)
    window.settings()
    squeeze = page.locator("[data-part=squeeze]")
    expect(squeeze).to_have_attribute("aria-pressed", "false")
    squeeze.click()
    expect(squeeze).to_have_attribute("aria-pressed", "true")
    page.reload()
    window.place("Player")
    window.button("Deal").click()
    card = page.get_by_role("slider", name="Squeeze the card")
    expect(card).to_be_focused()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    expect(card).to_have_attribute("aria-valuenow", "50")
    expect(page.locator("[data-part=verdict]")).not_to_contain_text("returned")
    page.keyboard.press("Enter")
    window.expect_verdict("returned")

    page.keyboard.press("b")
    expect(card).to_be_visible()
    card.evaluate("card => Promise.all(card.getAnimations().map((animation) => animation.finished))")
    box = card.bounding_box()
    assert box is not None
    assert max(box["width"], box["height"]) > 130  # large enough to be squeezed; a third card lies on its side
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y + 2 * box["height"])
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.up()
    expect(card).to_have_attribute("aria-valuenow", "0")  # it was pressed elsewhere
    assert page.evaluate(RUNNING) == 0  # with reduced motion nothing moves by itself
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - box["height"] * 0.4, steps=4)
    page.mouse.up()
    expect(card).to_have_attribute("aria-valuenow", "40")
    drag_by_touch(page, x, y, up=box["height"] * 0.3)
    window.expect_verdict("returned")
    expect(card).to_have_count(0)
    assert Round.objects.count() == 2
    page.mouse.click(x, y)  # a click on the finished round takes it from the felt: the card keeps none for itself
    expect(page.locator("#table playing-card")).to_have_count(0)


def drag_by_touch(page: Page, x: float, y: float, *, up: float) -> None:
    """Drag a finger up from a point."""
    finger = page.context.new_cdp_session(page)
    steps = [("touchStart", 0.0), ("touchMove", up / 2), ("touchMove", up)]
    for kind, moved in steps:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y - moved}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    finger.detach()


def test_a_felt_is_kept_and_each_is_legible_in_every_state_of_a_round(window: Window, player: Player) -> None:
    """With `make test` two felts, and axe looks at the first; with `make soak` all, each with axe."""
    page = sit(window, player)
    colours = set()
    felts = FELTS if IS_LONG else FELTS[:2]
    for felt in felts:
        window.settings()
        page.get_by_label(felt, exact=True).check()
        page.reload()
        expect(page.locator("html")).to_have_attribute("data-felt", felt.lower())
        colours.add(page.locator(".felt").evaluate("felt => getComputedStyle(felt).backgroundImage"))
        assert felt_faults(page, felt) == []
        window.chip("500.00")
        window.place("Tie", "Tie", "Tie")
        expect(page.locator("[data-part=problem]")).not_to_be_empty()
        assert felt_faults(page, felt) == []
        page.keyboard.press("c")
        window.chip("1.00")
        window.place("Player", "Banker", "Tie")
        window.button("Deal").click()
        window.expect_verdict("returned")
        assert felt_faults(page, felt) == []
    assert len(colours) == len(felts)


def felt_faults(page: Page, felt: str) -> list[str]:
    return page_faults(page) if IS_LONG or felt == FELTS[0] else felt_contrast_faults(page)


@pytest.mark.parametrize("game", games_tried(), ids=lambda game: game.slug)
def test_rounds_by_keyboard_alone_show_the_ledger_s_balance(
    window: Window, player: Player, request: pytest.FixtureRequest, game: GameSpec
) -> None:
    page = sit(window, player, f"/play/{game.slug}/")
    page.evaluate("localStorage.setItem('punto-pace', 'instant')")
    page.reload()
    tab_to(page, "[data-spot]:not(.side)")
    page.keyboard.press("Enter")
    expect(window.button("Deal")).to_be_enabled()  # connected; Tab leaves a disabled button out
    wallet = player.wallets.get()
    for number in range(1, (request.config.getoption("--rounds", default=None) or ROUNDS) + 1):
        if number == 1:
            tab_to(page, "[data-part=deal]")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("b")
        finish_round(window, number)
        wallet.refresh_from_db()
        ledger = WalletTransaction.objects.filter(wallet=wallet).aggregate(Sum("change"))["change__sum"]
        assert wallet.balance == ledger
        window.expect_balance(number_format(wallet.balance.quantize(Decimal("0.01")), force_grouping=True))


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is on the element."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by Tab")


def finish_round(window: Window, number: int) -> None:
    """Stand in a game with moves, decline insurance, and wait until the table can bet again."""
    page = window.page

    def is_over() -> bool:
        question = page.locator("[data-part=actions] button:enabled").evaluate_all(
            "(all) => all.map((each) => each.dataset.key)"
        )
        for key in ("n", "g", "s"):
            if key in question:
                page.keyboard.press(key)
                break
        ended = Round.objects.exclude(how_ended=RoundEnd.OPEN).count() == number
        return ended and page.locator("[data-part=rebet]").is_enabled()

    window.await_true(is_over)
