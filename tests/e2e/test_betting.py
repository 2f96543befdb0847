"""Consecutive rounds at a table for one player: changed bets, and reloads in between and during a deal."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from apps.accounts.models import Player, User
from apps.baccarat.engine import Winner
from apps.rounds.models import Round
from apps.rounds.services import player_open
from apps.wallet.models import Wallet
from tests.e2e.layouts import SIZES as LAYOUT_SIZES
from tests.e2e.layouts import layout_faults
from tests.e2e.window import PASSWORD, Window, click_in_a_row, page_faults
from tests.support import baccarat
from tests.support.blackjack import seeds_choose, values_are
from tests.support.long_form import IS_LONG
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-betting")

WIN = values_are(10, 6, 10, 10, 10)
"""Player 20 against dealer 16; the dealer draws a ten."""
BLACKJACK = values_are(1, 6, 10, 10)
"""Blackjack against a six: the bet's own answer ends the round."""
SIZES = [(1280, 800), (844, 390), (390, 844)]
ROUNDS = 30 if IS_LONG else 4
"""Four rounds cover every number of bets and each size of the window."""


def sit_down(window: Window, player: Player) -> Page:
    window.log_in(player)
    page = window.go("/play/blackjack/")
    expect(page.locator("[data-part=line]")).to_contain_text("Connected")
    return page


def win_a_round(window: Window) -> None:
    window.place("Your bet")
    window.button("Deal").click()
    window.page.locator("[data-choice=Stand]").click()
    window.expect_verdict("You win 1.00 FUN.")


def expect_staked(window: Window, amount: str) -> None:
    expect(window.page.locator("[data-part=staked]")).to_have_text(amount)


def test_the_bet_can_be_changed_after_a_round(window: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    page = sit_down(window, player)
    win_a_round(window)
    main = page.locator(".spot.main")
    expect(main).to_be_visible()
    window.chip("25.00")
    window.place("Your bet", "Perfect Pairs", "Your bet")
    expect_staked(window, "75.00")
    window.expect_verdict("You win 1.00 FUN.")  # the last result stays until the next deal
    window.button("Undo").click()
    expect_staked(window, "50.00")
    window.button("Clear").click()
    expect_staked(window, "0.00")
    expect(window.button("Deal")).to_be_disabled()
    window.place("Your bet")
    window.button("Deal").click()
    expect(page.locator("[data-part=hands] .stake")).to_have_text("25.00")
    expect_staked(window, "25.00")
    assert sorted(Round.objects.values_list("stake", flat=True)) == [1, 25]


def test_esc_and_a_click_on_the_felt_clear_a_finished_round_alone_and_esc_closes_a_menu_first(
    window: Window, player: Player
) -> None:
    seeds_choose(player, WIN, cards=5)
    page = sit_down(window, player)
    cards = page.locator("[data-part=hands] playing-card")
    window.place("Your bet")
    window.button("Deal").click()
    expect(page.locator("[data-choice=Stand]")).to_be_enabled()
    page.keyboard.press("Escape")
    page.locator("[data-part=limits]").click()
    expect(cards).to_have_count(2)
    page.locator("[data-choice=Stand]").click()
    window.expect_verdict("You win 1.00 FUN.")
    page.get_by_text("ann", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Second factor")).to_be_hidden()
    expect(cards).to_have_count(2)
    window.place("Your bet")
    page.keyboard.press("Escape")
    expect(cards).to_have_count(0)
    window.expect_verdict("Choose a chip")
    expect_staked(window, "1.00")
    page.keyboard.press("Escape")
    expect_staked(window, "0.00")
    page.reload()
    expect(cards).to_have_count(2)
    page.locator("[data-part=limits]").click()
    expect(cards).to_have_count(0)
    window.place("Your bet")
    page.locator("[data-part=limits]").click()
    expect_staked(window, "1.00")


def test_a_bet_can_be_placed_after_a_round_with_a_reload(window: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    page = sit_down(window, player)
    window.chip("25.00")
    window.place("Your bet", "21+3")
    window.button("Deal").click()
    expect(page.locator("[data-choice=Stand]")).to_be_enabled()
    page.reload()
    page.locator("[data-choice=Stand]").click()
    window.expect_verdict("Your hand: won, 50.00 back for 25.00.")
    expect(page.locator(".spot.main")).to_be_visible()
    window.chip("5.00")
    window.place("Your bet")
    expect_staked(window, "5.00")
    window.button("Clear").click()
    window.button("Rebet and deal").click()
    expect(page.locator("[data-part=hands] .stake")).to_have_text("25.00")
    assert sorted(Round.objects.values_list("stake", flat=True)) == [50, 50]


@pytest.fixture
def moving(browser: Browser, shared_server: Server, player: Player) -> Iterator[Window]:
    """A window in which cards move."""
    with Window.open(browser, shared_server, motion=True) as window:
        window.log_in(player)
        yield window


def test_a_reload_while_blackjack_is_dealt_shows_the_result(moving: Window, player: Player) -> None:
    seeds_choose(player, BLACKJACK, cards=4)
    page = moving.go("/play/blackjack/")
    expect(page.locator("[data-part=line]")).to_contain_text("Connected")
    moving.place("Your bet")
    moving.button("Deal").click()
    expect(page.locator("[data-part=hands] playing-card").first).to_be_attached()
    page.reload()
    moving.expect_verdict("Blackjack! You win 1.50 FUN.")
    expect(page.locator("[data-part=hands] playing-card")).to_have_count(2)
    moving.expect_balance("1,001.50")
    moving.button("Rebet and deal").click()
    expect(page.locator("[data-part=hands] .stake")).to_have_text("1.00")


def test_a_reload_while_baccarat_is_dealt_shows_the_result(moving: Window, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER)
    page = moving.go("/play/baccarat/")
    moving.place("Player", "Tie")
    moving.button("Deal").click()
    card = page.locator("[data-side=player] playing-card").first
    expect(card).to_be_attached()
    expect(card).to_have_css("animation-duration", "0.42s")
    page.reload()
    moving.expect_verdict("Staked 2.00 FUN, returned 2.00 FUN.")
    expect(page.locator(".side.winner")).to_have_attribute("data-side", "player")
    expect(page.locator(".spot.won .spot-result")).to_have_text("+1.00")
    expect(page.locator(".spot.lost .spot-result")).to_have_text("Lost")
    expect(page.locator("[data-part=bead]")).to_have_text("P")
    moving.expect_balance("1,000.00")
    moving.button("Rebet and deal").click()
    expect_staked(moving, "2.00")
    moving.await_true(lambda: Round.objects.count() == 2)


def test_a_baccarat_bet_whose_answer_is_lost_in_a_reload_is_dealt_once(moving: Window, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER)
    page = moving.go("/play/baccarat/")
    moving.route("**/api/game/baccarat/bet", lambda route: route.fetch())  # the bet is placed, but its answer is lost
    moving.place("Player")
    moving.button("Deal").click()
    moving.await_true(Round.objects.exists)
    page.unroute("**/api/game/baccarat/bet")
    moving.expected = ["net::ERR"]
    page.reload()
    moving.expect_verdict("You win 1.00 FUN.")
    moving.expect_balance("1,001.00")
    assert Round.objects.count() == 1
    # The next bet has no answer when somebody else logs in, in the same tab.
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)

    moving.route("**/api/game/baccarat/bet", hold_first)
    moving.button("Rebet and deal").click()
    moving.expect_balance("1,000.00")
    moving.await_true(lambda: bool(held))
    user = User.objects.create_user("bob", password=PASSWORD)
    bob = player_open(partner=player.partner, reference="bob", currency_code="FUN", user=user)
    moving.log_in(bob)
    moving.go("/play/baccarat/")
    moving.expect_balance("1,000.00")
    expect(moving.button("Rebet and deal")).to_be_disabled()  # the last bets are ann's
    moving.place("Tie")
    moving.button("Deal").click()
    moving.expect_verdict("returned")
    assert bob.rounds.count() == 1
    # Bob logs out in another window.
    moving.context.clear_cookies()
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-part=problem]")).to_have_text("Your session has ended. Log in again")
    moving.expect_balance("1,000.00")


def test_esc_clears_a_finished_deal_and_then_the_chips(window: Window, player: Player) -> None:
    window.log_in(player)
    page = window.go("/play/baccarat/")
    window.place("Player")
    window.button("Deal").click()
    window.expect_verdict("returned")
    page.keyboard.press("Escape")
    expect(page.locator("playing-card")).to_have_count(0)
    window.place("Player", "Tie")
    page.keyboard.press("Escape")
    expect_staked(window, "0.00")


def test_the_second_click_of_a_double_click_on_rebet_deals_no_round_and_the_third_does(
    window: Window, player: Player
) -> None:
    window.log_in(player)
    page = window.go("/play/baccarat/")
    window.place("Player")
    window.button("Deal").click()
    rebet = window.button("Rebet and deal")
    expect(rebet).to_be_enabled()
    rebet.hover()
    for number in (1, 2):
        expect(rebet).to_be_enabled()
        click_in_a_row(page, number)
    expect(rebet).to_be_enabled(timeout=1)  # the second click was not sent
    page.wait_for_function("clicked => performance.now() > clicked + 400", arg=page.evaluate("performance.now()"))
    click_in_a_row(page, 3)
    window.await_true(lambda: Round.objects.count() == 3)
    expect(rebet).to_be_enabled()
    page.keyboard.press("b")
    window.await_true(lambda: Round.objects.count() == 4)


def play_out(page: Page) -> None:
    """Stand and decline until the round is over."""
    ended, choice = page.locator("#table[data-phase=result]"), page.locator("[data-choice=Stand], [data-choice=No]")
    while True:
        expect(ended.or_(choice).first).to_be_visible()
        if ended.count():
            return
        choice.first.click()  # which removes the buttons at once


def balance_check(window: Window, player: Player, *, in_every_look: bool = IS_LONG) -> None:
    """Check that the page shows the wallet's balance and has no fault."""
    balance: Decimal = Wallet.objects.get(player=player).balance
    window.expect_balance(f"{balance:,.2f}")
    expect(window.page.get_by_role("alert").first).to_have_text("")
    assert page_faults(window.page, in_every_look=in_every_look) == []


def resize(page: Page, number: int) -> None:
    """Give the window the size of this round."""
    width, height = SIZES[number % len(SIZES)]
    page.set_viewport_size({"width": width, "height": height})


def test_consecutive_rounds_of_blackjack_with_changing_bets(window: Window, player: Player) -> None:
    page = sit_down(window, player)
    total = Decimal(0)
    for number in range(ROUNDS):
        resize(page, number)
        window.chip(("1.00", "5.00", "25.00")[number % 3])
        spots = ["Your bet", "Perfect Pairs", "21+3"][: 1 + number % 4]
        window.place(*spots)
        total += (1, 5, 25)[number % 3] * len(spots)
        expect(window.button("Deal")).to_be_in_viewport(ratio=0.9)
        window.button("Deal").click()
        play_out(page)
    assert Round.objects.exclude(how_ended="").count() == ROUNDS
    staked = sum(Round.objects.values_list("stake", flat=True))
    assert total <= staked
    balance_check(window, player)


def test_consecutive_rounds_of_baccarat_with_changing_bets(window: Window, player: Player) -> None:
    window.log_in(player)
    page = window.go("/play/baccarat/")
    for number in range(ROUNDS):
        resize(page, number)
        window.chip(("1.00", "5.00", "25.00")[number % 3])
        window.place(*["Player", "Tie", "Banker"][: 1 + number % 3])
        expect(window.button("Deal")).to_be_in_viewport(ratio=0.9)
        window.button("Deal").click()
        expect(page.locator(".spot.won, .spot.lost, .spot.drawn")).to_have_count(1 + number % 3)
        expect(window.button("Deal")).to_be_disabled()
    assert Round.objects.count() == ROUNDS
    balance_check(window, player)
    for is_dealt in (True, False):  # with the last round, and with three bets for the next
        if not is_dealt:
            window.place("Player", "Tie", "Banker")
        for width, height in LAYOUT_SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert layout_faults(page) == []
