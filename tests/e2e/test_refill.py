"""Play money that is used up: every page offers a refill."""

import re
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, expect

from apps.accounts.models import Player, User
from apps.baccarat.engine import Winner
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_open
from apps.rounds.launch_options import Launch
from apps.rounds.services import player_open
from apps.wallet.models import Kind, Wallet, WalletTransaction
from tests.e2e.layouts import SIZES, live_faults
from tests.e2e.live_table import HOUR, NOW, TableWindow, play_out, take_and_be_dealt
from tests.e2e.window import AXE_OPTIONS, PASSWORD, Window, axe_run, page_faults, width_faults
from tests.support import baccarat
from tests.support.blackjack import seeds_choose, values_are
from tests.support.dealt_tables import gain
from tests.support.ledger import move
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-following")

LOSE = values_are(10, 10, 9, 10)
"""Player 19 against dealer 20."""
OFFER = "Your balance is too low for a bet."
PAGES = ("/", "/play/blackjack/", "/wallet/", "/play/baccarat/")[: 4 if IS_LONG else 2]


def leave(player: Player, amount: str) -> None:
    """Leave this amount in the player's wallet."""
    wallet = Wallet.objects.get(player=player)
    move(wallet, Kind.WITHDRAWAL, str(Decimal(amount) - wallet.balance))


def take(window: Window) -> None:
    window.button("Fill up to 1,000.00 FUN").click()


def refills() -> int:
    return WalletTransaction.objects.filter(kind=Kind.REFILL).count()


def test_every_page_that_shows_the_balance_offers_a_refill(window: Window, house: Partner) -> None:
    """Axe looks at the offer on a phone, and with `make soak` at the whole page in each size of the window."""
    for number, path in enumerate(PAGES, start=1):
        user = User.objects.create_user(f"poor-{number}", password=PASSWORD)
        player = player_open(partner=house, reference=user.username, currency_code="FUN", user=user)
        leave(player, "0.99")
        window.forget()  # an open page of the last player would be loaded again, as somebody else has logged in
        window.log_in(player)
        page = window.go(path)
        offer = page.locator("#refill")
        expect(offer).to_contain_text(OFFER)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            expect(offer.get_by_role("button")).to_be_in_viewport(ratio=0.9)
            assert (page_faults(page) if IS_LONG else width_faults(page)) == []
        if not IS_LONG:
            assert axe_run(page, AXE_OPTIONS, within="#refill") == []
        take(window)
        window.expect_balance("1,000.00")
        expect(offer).to_be_hidden()
        assert refills() == number


def test_play_goes_on_after_the_last_chip_is_lost_at_blackjack(window: Window, player: Player) -> None:
    leave(player, "1")
    seeds_choose(player, LOSE, cards=4)
    window.log_in(player)
    page = window.go("/play/blackjack/")
    expect(page.locator("[data-part=line]")).to_contain_text("Connected")
    expect(page.locator("#refill")).to_be_hidden()
    window.place("Your bet")
    window.button("Deal").click()
    page.locator("[data-choice=Stand]").click()
    window.expect_verdict("You lose 1.00 FUN.")
    expect(page.locator("#refill")).to_contain_text(OFFER)
    take(window)
    window.expect_balance("1,000.00")
    window.button("Rebet and deal").click()
    expect(page.locator("[data-part=hands] .stake")).to_have_text("1.00")


@pytest.mark.soak
def test_play_goes_on_after_the_last_chip_is_lost_at_baccarat(window: Window, player: Player) -> None:
    leave(player, "1")
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.BANKER)
    window.log_in(player)
    page = window.go("/play/baccarat/")
    window.place("Player")
    window.button("Deal").click()
    window.expect_verdict("You lose 1.00 FUN.")
    expect(page.locator("#refill")).to_contain_text(OFFER)
    take(window)
    window.expect_balance("1,000.00")
    window.button("Rebet and deal").click()
    window.expect_verdict("Staked 1.00 FUN")


@pytest.mark.soak
def test_play_goes_on_after_the_last_chip_is_lost_at_a_live_table(
    browser: Browser, shared_server: Server, player: Player
) -> None:
    """With `make soak` also beside the hands of blackjack, where there is the least room."""
    table = table_make(player.partner, game_type="baccarat", currency="FUN", window_s=60, pause_s=20)
    with Window.open(browser, shared_server, width=1280, height=720) as window:
        here = TableWindow(window, table.pk)
        here.open(player)
        here.contribute(table, [{"tie": 100}], lambda deal, _shoe: gain(table, deal) < 0)
        here.take(1)
        deadlines_set(table, HOUR)
        offer = window.page.locator("#refill")
        expect(offer).to_be_hidden()
        leave(player, "1")
        window.expect_balance("1.00")
        here.bet("Tie")
        window.expect_balance("0.00")
        expect(offer).to_be_hidden()  # the stake may come back
        here.part("ready").click()
        here.expect_phase("pause")
        deadlines_set(table, HOUR)
        expect(offer).to_contain_text(OFFER)
        for width, height in SIZES:
            window.page.set_viewport_size({"width": width, "height": height})
            expect(offer.get_by_role("button")).to_be_in_viewport(ratio=1)
            assert live_faults(window.page) == []
        assert page_faults(window.page) == []
        take(window)
        window.expect_balance("1,000.00")
        expect(offer).to_be_hidden()
        deadlines_set(table, NOW)
        here.bet("Tie")
        window.expect_balance("999.00")
    if IS_LONG:
        check_the_offer_beside_hands(browser, shared_server, player.partner)
    check_the_cashier_at_a_live_table(browser, shared_server, player.partner)


def check_the_offer_beside_hands(browser: Browser, server: Server, house: Partner) -> None:
    """The hands of blackjack are shown until the next round, and the whole table with the offer fits in the window."""
    user = User.objects.create_user("poor", password=PASSWORD)
    player = player_open(partner=house, reference="poor", currency_code="FUN", user=user)
    table = table_make(house, currency="FUN", window_s=30, pause_s=20)
    with Window.open(browser, server, width=1280, height=720) as window:
        here = TableWindow(window, table.pk)
        here.open(player)
        take_and_be_dealt(here, table)
        play_out([here])
        deadlines_set(table, HOUR)
        leave(player, "0")
        offer = window.page.locator("#refill")
        expect(offer).to_contain_text(OFFER)
        for width, height in SIZES:
            window.page.set_viewport_size({"width": width, "height": height})
            expect(offer.get_by_role("button")).to_be_in_viewport(ratio=1)
            assert live_faults(window.page) == []


def check_the_cashier_at_a_live_table(browser: Browser, server: Server, house: Partner) -> None:
    """A launched player without real money gets a link to the cashier at the table itself, and no refill."""
    house.frame_origins = ["https://casino.example"]
    house.save(update_fields=["frame_origins"])
    who = player_open(partner=house, reference="launched", currency_code="EUR")
    launch = Launch(cashier_url="https://casino.example/cashier")
    token = game_session_open(player=who, game="", currency_code="EUR", launch=launch)[1]
    table = table_make(house, game_type="baccarat", currency="EUR", window_s=60)
    with Window.open(browser, server, width=1280, height=720) as window:
        window.go(f"/launch/?game_session_id={token}")
        here = TableWindow(window, table.pk)
        here.follow()
        window.expect_balance("0.00")
        link = here.root.get_by_role("link", name="Get more at the cashier")
        for width, height in SIZES:
            window.page.set_viewport_size({"width": width, "height": height})
            expect(link).to_be_in_viewport(ratio=1)
            assert live_faults(window.page) == []
        expect(link).to_have_attribute("href", launch.cashier_url)
        expect(window.page.locator("#refill")).to_have_count(0)
        assert page_faults(window.page) == []
        move(Wallet.objects.get(player=who, currency="EUR"), Kind.DEPOSIT, "5")
        window.expect_balance("5.00")
        expect(link).to_be_hidden()
        here.take(1)
        here.bet("Tie")
        window.expect_balance("4.00")
        # A partner that has stated no address of its cashier still has a cashier.
        move(Wallet.objects.get(player=who, currency="EUR"), Kind.WITHDRAWAL, "-4")
        token = game_session_open(player=who, game="", currency_code="EUR")[1]
        window.go(f"/launch/?game_session_id={token}")
        window.go("/wallet/")
        expect(window.page.locator("#cashier")).to_have_text(f"{OFFER} Your casino's own page has the cashier.")


def test_two_tabs_get_one_refill(window: Window, player: Player) -> None:
    leave(player, "0")
    window.log_in(player)
    window.expected = ["status of 403"]
    tabs = window, window.tab()
    for tab in tabs:
        tab.go("/wallet/")
        expect(tab.page.locator("#refill")).to_contain_text(OFFER)
    for tab in tabs:
        tab.page.evaluate("document.querySelector('#refill button').click()")
    for tab in tabs:
        tab.expect_balance("1,000.00")
        expect(tab.page.locator("#refill")).to_be_hidden()
    assert refills() == 1
    tabs[0].go("/wallet/")
    row = tabs[0].rows("Movements").first
    expect(row).to_contain_text("Refill")
    expect(row).to_contain_text("+1,000.00")


def test_a_second_refill_of_the_day_is_offered_for_the_next_day(window: Window, player: Player) -> None:
    leave(player, "0")
    window.log_in(player)
    page = window.go("/wallet/")
    take(window)
    expect(window.rows("Movements").first).to_contain_text("Refill")
    leave(player, "0")
    offer = page.locator("#refill")
    expect(offer).to_contain_text(re.compile(r"you have filled it up today.*again from \d+ \w+ \d{4}, 00:00\."))
    expect(offer.get_by_role("button")).to_have_count(0)


def test_a_refill_is_refused_during_an_open_round(window: Window, player: Player) -> None:
    leave(player, "1")
    seeds_choose(player, LOSE, cards=4)
    window.log_in(player)
    table, lobby = window, window.tab()
    table.go("/play/blackjack/")
    expect(table.page.locator("[data-part=line]")).to_contain_text("Connected")
    lobby.go("/")
    table.place("Your bet")
    table.button("Deal").click()
    expect(lobby.page.locator("#refill")).to_contain_text("Finish your open round first")
    expect(lobby.page.locator("#refill").get_by_role("button")).to_have_count(0)
    expect(table.page.locator("#refill")).to_be_hidden()
    table.page.locator("[data-choice=Stand]").click()
    take(lobby)
    for tab in (table, lobby):
        tab.expect_balance("1,000.00")
