"""Every open page follows the player's round in any tab, and each change of the balance."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from apps.accounts.models import Player, Role
from apps.baccarat.engine import Winner
from apps.baccarat.models import BaccaratConfig
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.cards.card import Card
from apps.one_deal.models import ConfigStatus
from apps.portal.services import wallet_refill
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round, RoundEnd
from apps.rounds.services import round_void, seeds_rotate
from apps.switches.models import Switch, SwitchScope
from apps.switches.services import switch_off_by_platform
from apps.wallet.models import Kind, Wallet
from apps.wallet.services import wallet_adjust
from tests.e2e.window import Window
from tests.support import baccarat
from tests.support.blackjack import seeds_choose, values_are
from tests.support.factories import staff_make
from tests.support.ledger import move
from tests.support.partners import PartnerClient
from tests.support.played import act
from tests.support.server import Server
from tests.support.waiting import and_close

pytestmark = pytest.mark.xdist_group("e2e-following")

WIN = values_are(10, 6, 10, 10, 10)
"""Player 20 against dealer 16; the dealer draws a ten."""
PAGES = ["/play/baccarat/", "/play/blackjack/", "/wallet/", "/"]
TITLES_TOLD = """() => {
  window.told = [];
  new MutationObserver(() => window.told.push(document.querySelector("[data-part=verdict] strong")?.textContent))
    .observe(document.querySelector("[data-part=verdict]"), { childList: true });
}"""
"""Records each title of the verdict, since a title is shown for a few seconds only."""


def fifteen_by_a_hit_wins(cards: Sequence[Card]) -> bool:
    """Two cards of different values that are 15 with the next one, against a dealer who draws a ten and is bust."""
    first, up, second, hole, hit, drawn = [card.value for card in cards]
    return first + second + hit == 15 and 1 < first < second and hit > 1 and 2 <= up <= 6 and hole == drawn == 10


def tables_open(window: Window, player: Player) -> tuple[Window, Window]:
    """Return two tabs at the blackjack table."""
    window.log_in(player)
    tabs = window, window.tab()
    for tab in tabs:
        tab.go("/play/blackjack/")
        expect(tab.page.locator("[data-part=line]")).to_contain_text("Connected")
    return tabs


def next_seeds_choose(player: Player, wanted: Callable[[Sequence[Card]], bool], *, cards: int) -> None:
    """Choose the cards of the next round, between two rounds."""
    seeds_rotate(player=player, client_seed="next")
    seeds_choose(player, wanted, cards=cards)


def move_button(window: Window, name: str) -> None:
    window.page.locator(f"[data-choice={name}]").click()


# Two tabs at one table


def test_a_round_finished_in_another_tab_or_voided_disappears_and_can_be_played_in_both_by_turns(
    window: Window, player: Player
) -> None:
    seeds_choose(player, WIN, cards=5)
    first, second = tables_open(window, player)
    first.place("Your bet")
    first.button("Deal").click()
    expect(first.page.locator("[data-choice=Stand]")).to_be_enabled()
    move_button(second, "Stand")
    for tab in (second, first):
        tab.expect_verdict("You win 1.00 FUN.")
        tab.expect_balance("1,001.00")
        expect(tab.page.locator("[data-part=dealer-total]")).to_have_text("26")
        expect(tab.page.locator("[data-part=actions] button")).to_have_count(0)
        expect(tab.button("Deal")).to_be_disabled()
    # The next round is played by turns.
    next_seeds_choose(player, fifteen_by_a_hit_wins, cards=6)
    first.chip("5.00")
    first.place("Your bet")
    first.button("Deal").click()
    for tab in (first, second):
        expect(tab.page.locator("[data-part=hands] .stake")).to_have_text("5.00")
    expect(first.page.get_by_role("alert")).to_have_text("")
    assert Round.objects.count() == 2
    move_button(second, "Hit")
    for tab in (second, first):
        expect(tab.page.locator("[data-part=hands] playing-card")).to_have_count(3)
        expect(tab.page.locator("[data-part=hands] .total")).to_have_text("15")
        expect(tab.page.locator("[data-choice=Stand]")).to_be_enabled()
    move_button(first, "Stand")
    for tab in (second, first):
        tab.expect_verdict("You win 5.00 FUN.")
    # The last one is voided.
    next_seeds_choose(player, WIN, cards=5)
    first.button("Rebet and deal").click()
    expect(second.page.locator("[data-choice=Stand]")).to_be_enabled()
    round_void(operator=staff_make(Role.OPERATOR), round=Round.objects.get(how_ended=RoundEnd.OPEN), reason="a fault")
    for tab in (first, second):
        tab.expect_verdict("It was voided: your stake is back in your balance.")
        tab.expect_balance("1,006.00")
        expect(tab.page.locator("playing-card")).to_have_count(0)
        expect(tab.page.locator(".spot.main")).to_be_visible()


def test_a_second_bet_shows_the_open_round_and_chips_in_another_tab_stay_after_a_round(
    window: Window, player: Player
) -> None:
    seeds_choose(player, WIN, cards=5)
    first, second = tables_open(window, player)
    first.page.route(
        "**/play/blackjack/table", lambda route: None
    )  # the announcement says that something changed, but not what
    first.place("Your bet")
    second.place("Your bet")
    second.button("Deal").click()
    expect(second.page.locator("[data-choice=Stand]")).to_be_enabled()
    first.button("Deal").click()
    expect(first.page.get_by_role("alert")).to_have_text("This move is not possible now.")
    first.page.unroute("**/play/blackjack/table")
    first.page.reload()
    expect(first.page.locator("[data-choice=Stand]")).to_be_enabled()
    assert Round.objects.count() == 1
    move_button(first, "Stand")
    for tab in (first, second):
        tab.expect_balance("1,001.00")
    next_seeds_choose(player, WIN, cards=5)
    first.chip("25.00")
    first.place("Your bet")
    second.button("Rebet and deal").click()
    expect(first.page.locator("[data-part=hands] .stake")).to_have_text("1.00")
    expect(first.button("Deal")).to_be_hidden()
    move_button(second, "Stand")
    first.expect_balance("1,002.00")
    first.expect_verdict("You win 1.00 FUN.")
    expect(first.page.locator("[data-part=staked]")).to_have_text("25.00")
    first.button("Deal").click()
    expect(first.page.locator("[data-part=hands] .stake")).to_have_text("25.00")


def test_a_page_plays_the_dealer_s_cards_if_the_client_that_began_has_gone(window: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    first, _ = tables_open(window, player)
    first.page.evaluate(TITLES_TOLD)
    token = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")[1]
    with ThreadPoolExecutor(1) as client:  # a thread of its own, since Playwright's event loop runs in this one
        client.submit(and_close(lambda: act(token, "Bet", betAmount=1))).result()
        stood = client.submit(and_close(lambda: act(token, "Stand"))).result()
    assert stood["data"]["handOwner"] == "Dealer"
    first.expect_verdict("You win 1.00 FUN.")
    assert "The dealer plays." in first.page.evaluate("told")
    assert Round.objects.get().how_ended == "played"


def test_a_baccarat_deal_is_shown_in_every_tab(window: Window, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER, rounds=2)
    window.log_in(player)
    first, second, third = window, window.tab(), window.tab()
    for tab in (first, second, third):
        tab.go("/play/baccarat/")
        expect(tab.page.locator("[data-part=bead] span")).to_have_count(0)
    third.place("Tie")
    first.place("Player")
    first.button("Deal").click()
    for tab in (first, second):
        tab.expect_verdict("You win 1.00 FUN.")
        tab.expect_balance("1,001.00")
        expect(tab.page.locator("[data-part=bead]")).to_have_text("P")
    # A table with chips does not change.
    third.expect_balance("1,001.00")
    expect(third.page.locator("[data-part=bead]")).to_have_text("P")
    third.expect_verdict("Choose a chip")
    expect(third.page.locator("[data-part=staked]")).to_have_text("1.00")
    second.button("Rebet and deal").click()
    first.expect_balance("1,002.00")


# The balance


def deposit(player: Player) -> str:
    body = {"player": player.reference, "currency": "FUN", "amount": "5", "transaction_id": "t-1"}
    assert PartnerClient(player.partner).post("/v1/wallets/deposit", body, idempotency_key="k").status == 200
    return balance_of(player)


def adjust(player: Player) -> str:
    wallet = Wallet.objects.get(player=player)
    wallet_adjust(operator=staff_make(Role.OPERATOR), wallet=wallet, change=Decimal("-0.5"), reason="a fault")
    return balance_of(player)


def refill(player: Player) -> str:
    wallet = Wallet.objects.get(player=player)
    move(wallet, Kind.WITHDRAWAL, str(-wallet.balance))
    wallet_refill(player=player, currency_code="FUN")
    move(Wallet.objects.get(player=player), Kind.WITHDRAWAL, "-1")
    return balance_of(player)


def balance_of(player: Player) -> str:
    """Return the balance as pages show it."""
    return f"{Wallet.objects.get(player=player).balance:,.2f}"


def test_a_balance_that_changes_elsewhere_or_by_a_bet_at_another_game_is_shown_in_every_tab(
    window: Window, player: Player
) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.BANKER)
    window.log_in(player)
    tabs = [window, *(window.tab() for _ in PAGES[1:])]
    for tab, path in zip(tabs, PAGES, strict=True):
        tab.go(path)
        tab.expect_balance("1,000.00")
    for change, balance in ((deposit, "1,005.00"), (adjust, "1,004.50"), (refill, "999.00")):
        assert change(player) == balance
        for tab in tabs:
            tab.expect_balance(balance)
        for tab in tabs[2:]:
            expect(tab.page.locator("main [data-balance]")).to_have_text(balance)
    cards, other = tabs[:2]
    cards.place("Player")
    cards.button("Deal").click()
    for tab in tabs:
        tab.expect_balance("998.00")
    other.place("Your bet")
    other.button("Deal").click()
    other.await_true(lambda: Round.objects.count() == 2)
    cards.expect_balance(balance_of(player))


def test_a_partner_s_player_sees_its_deposit(browser: Browser, shared_server: Server, player: Player) -> None:
    _, token = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")
    with Window.open(browser, shared_server) as window:
        window.go(f"/launch/?game_session_id={token}")
        window.expect_balance("1,000.00")
        window.expect_balance(deposit(player))


def silence(route: WebSocketRoute) -> None:
    """Keep the page's socket open without announcements."""


def test_without_an_announcement_balance_and_closing_are_read_when_the_page_becomes_visible(
    window: Window, player: Player
) -> None:
    window.log_in(player)
    window.is_kept = False
    window.page.route_web_socket("**/v1/ws/portal?*", silence)
    page = window.go("/play/baccarat/")
    balance = deposit(player)
    page.evaluate("dispatchEvent(new Event('focus'))")
    window.expect_balance(balance)
    adjust(player)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    window.expect_balance("1,004.50")

    # The page also follows whether the table is closed. A closed table cannot deal, and the page says why.
    configs = BaccaratConfig.objects.filter(partner=player.partner)
    problem = page.get_by_role("alert")

    def follow() -> None:
        page.evaluate("dispatchEvent(new Event('focus'))")

    window.place("Player")
    expect(window.button("Deal")).to_be_enabled()
    switch_off_by_platform(scope=SwitchScope.PLAYER, key=str(player.pk), reason="a test", component="a test")
    follow()
    expect(problem).to_have_text("New bets are switched off here for now. Your balance is safe.")
    expect(window.button("Deal")).to_be_disabled()
    window.button("Clear").click()  # which takes other problems away
    window.place("Player")
    expect(problem).to_have_text("New bets are switched off here for now. Your balance is safe.")
    expect(window.button("Deal")).to_be_disabled()
    Switch.objects.update(is_off=False)
    configs.update(status=ConfigStatus.INACTIVE)
    follow()
    expect(problem).to_have_text("This table is not open in your currency.")
    expect(window.button("Deal")).to_be_disabled()
    configs.update(status=ConfigStatus.ACTIVE)
    follow()
    expect(window.button("Deal")).to_be_enabled()
    expect(problem).to_be_empty()
    window.button("Deal").click()
    window.expect_verdict("FUN")


def test_a_page_whose_socket_broke_connects_again_and_reads_the_changes(window: Window, player: Player) -> None:
    opened: list[WebSocketRoute] = []

    def relay(route: WebSocketRoute) -> None:
        opened.append(route)
        if len(opened) > 1:
            route.connect_to_server()

    window.log_in(player)
    window.is_kept = False
    window.page.route_web_socket("**/v1/ws/portal?*", relay)
    window.go("/wallet/")
    balance = deposit(player)
    window.expect_balance("1,000.00")
    opened[0].close(code=1001)
    window.expect_balance(balance)
    window.await_true(lambda: len(opened) == 2)
    adjust(player)
    window.expect_balance("1,004.50")


def test_a_balance_read_before_a_bet_does_not_overwrite_the_bet_s_balance(window: Window, player: Player) -> None:
    baccarat.seeds_choose(player, lambda deal: deal.winner is Winner.PLAYER)
    window.log_in(player)
    page = window.go("/play/baccarat/")
    late: list[Callable[[], None]] = []

    def answer_late(route: object) -> None:
        answer = route.fetch()  # type: ignore[attr-defined]
        late.append(lambda: route.fulfill(response=answer))  # type: ignore[attr-defined]

    window.route("**/play/baccarat/table", answer_late)
    page.evaluate("dispatchEvent(new Event('focus'))")
    window.await_true(lambda: len(late) == 1)
    window.place("Player")
    window.button("Deal").click()
    window.expect_verdict("You win 1.00 FUN.")
    late[0]()
    window.await_true(lambda: len(late) == 2)  # it reads the balance again, since the first answer was outdated
    window.expect_balance("1,001.00")
    expect(page.locator("[data-part=bead]")).to_have_text("P")
    late[1]()
    window.expect_balance("1,001.00")
