"""Live tables in browsers: several windows at one table, over the real socket."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from decimal import Decimal
from fractions import Fraction

import pytest
from django.core.cache import cache
from playwright.sync_api import APIResponse, Browser, Page, Route, ViewportSize, WebSocketRoute, expect

from apps.accounts.models import Player, User
from apps.accounts.services import user_preferences_set
from apps.baccarat.edge import house_edge
from apps.baccarat.engine import GameType
from apps.blackjack.engine.state import RoundState
from apps.blackjack.table import TABLE, rules_of
from apps.cards.shoe import Shoe
from apps.core.edge_rounding import edge_pct
from apps.core.json import encode
from apps.partners.models import Partner
from apps.rounds.services import player_open
from apps.tables.models import GameTable, TableAction, TablePlayer, TableRound
from apps.tables.selectors import terms_of
from apps.wallet.models import Wallet
from tests.e2e.layouts import SIZES as LAYOUT_SIZES
from tests.e2e.layouts import live_faults
from tests.e2e.live_table import HOUR, TableWindow, asks_for_a_move, asks_for_an_insurance, play_out, take_and_be_dealt
from tests.e2e.window import PASSWORD, Window, click_in_a_row, page_faults, panel_open, width_faults
from tests.support.blackjack import dealer_draws_many
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import session_make, table_make

pytestmark = pytest.mark.xdist_group("e2e-tables")

PATIENT = {"window_s": 30, "turn_s": 60, "pause_s": 30}
"""The longest times that a table may have. A test that needs longer ones sets the deadlines."""
PHONE = ViewportSize(width=390, height=844)
SIZES = (ViewportSize(width=1280, height=800), ViewportSize(width=844, height=390), PHONE)

RESULT_TOLD = """(id) => {
  const table = document.querySelector(`#table-${id}`);
  const watched = { balance: "#balance", score: `#table-${id} .live-score`, dealing: `#table-${id} .verdict` };
  window.told = [];
  for (const [name, selector] of Object.entries(watched)) {
    const element = document.querySelector(selector);
    let shown = element.textContent;
    const note = () => {
      const news = element.textContent;
      if (news !== shown && (name !== "dealing" || news === "The cards are dealt.")) {
        window.told.push(`${name} in ${table.dataset.phase}, ${table.querySelectorAll("playing-card").length > 0}`);
      }
      shown = news;
    };
    new MutationObserver(note).observe(element, { childList: true });
  }
}"""
"""Records the phase that the table shows, and whether cards lie there, at each announcement about the round."""
BALANCES_TOLD = """() => {
  const balance = document.querySelector("#balance");
  window.told = [];
  new MutationObserver(() => window.told.push(balance.textContent)).observe(balance, { childList: true });
}"""
TIMEOUT_BY_CLOCK = """AbortSignal.timeout = (ms) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}"""
"""The browser's own timeout does not follow Playwright's clock."""
FITS = """async (element) => {
  await Promise.all(element.getAnimations({ subtree: true }).map(({ finished }) => finished));
  return element.scrollWidth <= element.clientWidth;
}"""
SEAT_TOLD = """(id) => {
  const table = document.querySelector(`#table-${id}`);
  window.told = new Set();
  const note = () => {
    const texts = [...table.querySelectorAll(".seat.own :is(.hand-status, .seat-net)")];
    if (texts.some((element) => element.textContent)) window.told.add(table.dataset.phase);
  };
  new MutationObserver(note).observe(table, { childList: true, subtree: true });
}"""
"""Records the phases that the table shows while the own seat shows the results of its hands."""


@pytest.fixture
def players(house: Partner) -> list[Player]:
    """Three players of the house with 1,000.00 FUN each."""
    names = ("ann", "ben", "cat")
    users = [User.objects.create_user(name, password=PASSWORD) for name in names]
    return [player_open(partner=house, reference=user.username, currency_code="FUN", user=user) for user in users]


@pytest.fixture
def windows(browser: Browser, committed: None, shared_server: Server) -> Iterator[Callable[..., Window]]:
    """Returns a function that opens a window with cookies of its own."""
    with ExitStack() as stack:
        yield lambda **size: stack.enter_context(Window.open(browser, shared_server, **size))


def balance_of(player: Player) -> str:
    return f"{Wallet.objects.get(player=player, currency='FUN').balance:,.2f}"


def test_three_players_and_a_watcher_play_blackjack_for_points(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Three friends", seats=4, **PATIENT)
    tables = [TableWindow(windows(), table.pk) for _ in players]
    watcher = TableWindow(windows(), table.pk)
    watcher.open(player_open(partner=house, reference="dan", currency_code="FUN", user=user_make("dan")))
    expect(watcher.part("watching-text")).to_have_text("You are watching.")
    for each, player in zip(tables, players, strict=True):
        each.open(player)
    for seat, each in enumerate(tables, start=1):  # the first opens the betting window
        each.take(seat)
    deadlines_set(table, HOUR)
    tables[0].bet("Your bet")
    expect(tables[1].root.locator(".seat[data-seat='1']")).to_contain_text("Bet placed")
    expect(tables[0].root.locator(".seat.own")).to_contain_text("Bet 2")
    for each in tables[1:]:
        each.bet("Your bet")
    for each in tables:
        each.part("ready").click()
    expect(watcher.root.locator(".seat[data-seat='1'] playing-card")).to_have_count(2)
    play_out(tables)
    deadlines_set(table, HOUR)
    watcher.expect_phase("pause")
    for each in [*tables, watcher]:
        expect(each.root.locator(".seat[data-seat='2'] .seat-net")).to_have_text(
            re.compile("^([+\N{MINUS SIGN}]\\d+|Even)$")
        )
        expect(each.part("verdict")).to_contain_text("The dealer")
    played = TableRound.objects.exclude(ending="").latest("number")
    assert [given["seat"] for given in played.contributions] == [1]  # the window opened when she sat down
    check_round(tables[0])
    check_round(watcher)
    edge = f"blackjack-edge:{rules_of(terms_of(table)).fingerprint()}"
    cache.add(f"{edge}:asked", True, 600)  # the worker computes it, and does not finish
    check_odds(tables[0], {})
    expect(tables[0].part("odds")).to_contain_text("Its house edge is not computed yet.")
    cache.set(edge, "0.0123", 600)
    check_odds(watcher, {})
    expect(watcher.part("odds")).to_contain_text("House edge 1.230000 %")
    for rule in ("a shoe of one deck", "It is filled again when it runs empty.", "The dealer hits soft 17."):
        expect(watcher.part("full-rules")).to_contain_text(rule)


def check_odds(table: TableWindow, edges: Mapping[str, str]) -> None:
    """Open odds and rules: each bet has its exact house edge, and the return that goes with it."""
    panel_open(table.part("odds-panel"))
    panel_open(table.part("rules-panel"))
    for bet, edge in edges.items():
        row = table.part("odds").locator(".odds-bet", has=table.window.page.get_by_text(bet, exact=True))
        expect(row).to_contain_text(f"{edge} %")
        expect(row).to_contain_text(f"{100 - Decimal(edge)} %")


def user_make(name: str) -> User:
    return User.objects.create_user(name, password=PASSWORD)


def check_round(table: TableWindow) -> None:
    """Replay and check the last round in the window: every check passes, and the cards are dealt again."""
    rounds = table.part("proof-panel")
    panel_open(rounds)
    rounds.locator(".round-row").first.click()
    expect(rounds.locator(".step-words")).to_contain_text("The end:")
    rounds.get_by_role("button", name="Start", exact=True).click()
    expect(rounds.locator(".step-words")).to_have_text(re.compile(r"^1 of \d+: "))
    rounds.get_by_role("button", name="Verify this round").click()
    expect(table.root.locator(".proof-checks .good").last).to_contain_text("are the ones that lay on the table.")
    expect(table.root.locator(".proof-checks .bad")).to_have_count(0)


def test_two_players_bet_on_one_deal_of_baccarat(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, game_type="baccarat", currency="FUN", name="One deal", **PATIENT)
    both, bets = players[:2], (("Player",), ("Banker", "Tie"))
    tables = [TableWindow(windows(), table.pk) for _ in both]
    for each, player in zip(tables, both, strict=True):
        each.open(player)
    for seat, each in enumerate(tables, start=1):
        each.take(seat)
    deadlines_set(table, HOUR)
    for each, own in zip(tables, bets, strict=True):
        each.window.page.get_by_role("radio", name="25.00 FUN", exact=True).click()
        for bet in own:
            each.bet(bet)
        each.window.expect_balance(f"{1000 - 25 * len(own)}.00")
    expect(tables[1].root.locator(".seat[data-seat='1']")).to_contain_text("Player 25")
    tables[0].part("clear").click()
    tables[0].window.expect_balance("1,000.00")
    tables[0].bet("Player")
    tables[0].part("ready").click()
    expect(tables[0].part("ready")).to_be_disabled()
    expect(tables[0].part("ready")).to_be_focused()
    tables[1].part("ready").click()
    tables[0].expect_phase("pause")
    deadlines_set(table, HOUR)
    for each, player, own in zip(tables, both, bets, strict=True):
        each.expect_phase("pause")
        expect(each.part("verdict")).to_contain_text(f"Staked {25 * len(own)}.00 FUN")
        each.window.expect_balance(balance_of(player))
        expect(each.root.locator(".bead-plate span")).to_have_count(1)
        expect(each.root.get_by_role("button", name=re.compile(r"^If banker"))).to_be_visible()
        won = Decimal(balance_of(player).replace(",", "")) - 1000
        expect(each.part("session-staked")).to_have_text(f"{25 * len(own)}.00")
        expect(each.part("session-net")).to_have_text(f"{won:+}".replace("-", "\N{MINUS SIGN}") if won else f"{won}")
        expect(each.part("house").get_by_role("img")).not_to_have_count(0)
    net = sum(Decimal(balance_of(player).replace(",", "")) for player in both) - 2000
    check_odds(tables[1], {"Player": f"{edge_pct(house_edge(GameType.PLAYER, Fraction(1), 8))}"})
    expect(tables[1].part("full-rules").locator(".third-cards tbody tr")).to_have_count(8)
    assert net in {Decimal("-50.00") + 25, Decimal("-50.00") + Decimal("23.75"), Decimal(200)}
    check_round(tables[0])


@pytest.mark.soak
@pytest.mark.parametrize(
    ("net", "exact", "elsewhere"),
    [
        ("-12345.67", "\N{MINUS SIGN}12 345,67", "\N{MINUS SIGN}12,3 k"),
        pytest.param("1000", "+1 000,00", "+1 000,00", marks=pytest.mark.soak),
    ],
)
def test_bets_and_large_results_fit_in_the_seats_of_others_and_the_own_result_is_exact(
    windows: Callable[..., Window], house: Partner, players: list[Player], net: str, exact: str, elsewhere: str
) -> None:
    """In French, whose mark of a bot is the widest beside a result."""
    table = table_make(house, game_type="baccarat", currency="FUN", name="Large", seats=6, **PATIENT)
    both = players[:2]
    tables = [TableWindow(windows(), table.pk) for _ in both]
    for seat, (each, player) in enumerate(zip(tables, both, strict=True), start=1):
        each.window.is_kept = False
        each.window.context.route_web_socket("**/ws/tables", lambda route: seats_change(route, net))
        each.open(player)
        each.take(seat)
    deadlines_set(table, HOUR)
    for each in tables:
        each.bet("Banker")
    page = tables[0].window.page
    assert both[0].user is not None
    user_preferences_set(user=both[0].user, language="fr", time_zone="")
    page.reload()
    others = tables[0].root.locator(".seat.taken:not(.own)")
    expect(others).to_contain_text(["Robot"])
    sizes_check(page)
    for each in tables:
        each.part("ready").click()
    tables[0].expect_phase("pause")
    deadlines_set(table, HOUR)
    expect(tables[0].root.locator(".seat.own .seat-net")).to_have_text(exact)
    expect(others.locator(".seat-net")).to_have_text(elsewhere)
    sizes_check(page)


def seats_change(route: WebSocketRoute, net: str) -> None:
    """Connect a window's table, and have every result be `net` and every player but the first be a bot."""

    def change(found: dict[str, object]) -> dict[str, object]:
        if "net" in found and "seat" in found:
            found["net"] = Decimal(net)
        if "displayName" in found:
            found["bot"] = found["displayName"] != "ann"
        return found

    server = route.connect_to_server()
    server.on_message(
        lambda message: route.send(encode(json.loads(message, object_hook=change, parse_float=Decimal)).decode())
    )


def sizes_check(page: Page) -> None:
    """Check the layout in windows of all sizes."""
    for width, height in LAYOUT_SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert live_faults(page) == [], (width, height)


def test_nothing_tells_the_result_before_the_cards_lie_there(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, game_type="baccarat", currency="FUN", name="Shown first", seats=1, **PATIENT)
    here = TableWindow(windows(motion=True), table.pk)
    here.open(players[0])
    here.take(1)
    deadlines_set(table, HOUR)
    for bet in ("Player", "Banker"):  # whoever wins, a payout comes
        here.bet(bet)
    here.window.expect_balance("998.00")
    here.window.page.evaluate(RESULT_TOLD, str(table.pk))
    here.part("ready").click()
    here.expect_phase("pause")
    here.window.expect_balance(balance_of(players[0]))
    told = here.window.page.evaluate("window.told")
    assert told[0] == "dealing in betting, true"
    assert sorted(told[1:]) == ["balance in pause, true", "score in pause, true"]


@pytest.mark.parametrize("silent", ["socket", "session"])
def test_a_table_that_gets_no_answer_connects_again(
    windows: Callable[..., Window], house: Partner, players: list[Player], silent: str
) -> None:
    table = table_make(house, name="Silent", seats=1, **PATIENT)
    here = TableWindow(windows(), table.pk)
    here.window.log_in(players[0])
    page = here.window.page
    asked: list[WebSocketRoute | Route] = []

    def answer_second(route: WebSocketRoute | Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.connect_to_server() if isinstance(route, WebSocketRoute) else route.continue_()

    here.window.is_kept = False
    if silent == "socket":
        page.route_web_socket("**/ws/tables", answer_second)
    else:
        page.route("**/api/auth/token", answer_second)
    page.clock.install()
    page.add_init_script(TIMEOUT_BY_CLOCK)
    here.window.go(here.path)
    here.window.await_true(lambda: bool(asked))
    page.clock.fast_forward(10_000)
    here.window.await_true(lambda: len(asked) > 1)
    expect(here.part("line")).to_have_attribute("data-line", "up")


def test_a_connection_that_died_while_the_page_was_hidden_is_made_again(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Slept", seats=1, **PATIENT)
    here = TableWindow(windows(), table.pk)
    page = here.window.page
    opened: list[WebSocketRoute] = []
    is_dead: list[bool] = []

    def relay(socket: WebSocketRoute) -> None:
        opened.append(socket)
        server = socket.connect_to_server()
        number = len(opened)
        server.on_message(lambda message: None if is_dead and number == 1 else socket.send(message))

    here.window.is_kept = False
    page.route_web_socket("**/ws/tables", relay)
    page.clock.install()
    here.open(players[0])
    is_dead.append(True)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.fast_forward(10_000)
    here.window.await_true(lambda: len(opened) == 2)
    expect(here.part("line")).to_have_attribute("data-line", "up")
    here.take(1)


def test_a_balance_that_was_read_before_a_bet_is_not_shown_after_it(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, game_type="baccarat", currency="FUN", name="Read late", seats=1, **PATIENT)
    here = TableWindow(windows(), table.pk)
    here.open(players[0])
    here.take(1)
    deadlines_set(table, HOUR)
    page = here.window.page
    reads: list[tuple[Route, APIResponse]] = []
    page.route("**/play/now", lambda route: reads.append((route, route.fetch())))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    here.window.await_true(lambda: bool(reads))
    page.evaluate(BALANCES_TOLD)
    here.bet("Player")
    here.window.expect_balance("999.00")
    route, answer = reads.pop()
    route.fulfill(response=answer)
    here.window.await_true(lambda: bool(reads))  # the next read, after which the late answer has no effect
    page.unroute("**/play/now")
    here.window.expect_balance("999.00")
    assert set(page.evaluate("window.told")) == {"999.00"}


def test_a_seat_s_result_waits_for_the_dealer_s_cards(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Dealer first", seats=1, rules={"simple": True}, **PATIENT)
    here = TableWindow(windows(motion=True), table.pk)
    here.open(players[0])
    take_and_be_dealt(here, table)
    here.window.page.evaluate(SEAT_TOLD, str(table.pk))
    play_out([here])
    expect(here.root.locator(".seat.own .hand-status")).not_to_be_empty()
    assert here.window.page.evaluate("[...window.told]") == ["pause"]


def test_a_hand_goes_on_after_a_reload_and_in_another_window(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, currency="FUN", name="Reloaded", seats=2, **PATIENT)
    here = TableWindow(windows(), table.pk)
    here.open(players[0])
    take_and_be_dealt(here, table)
    cards = here.root.locator(".seat.own playing-card")
    dealt = [card.get_attribute("code") for card in cards.all()]
    here.follow()
    expect(here.part("actions").locator("[data-choice=stand]")).to_be_enabled()
    assert [card.get_attribute("code") for card in cards.all()] == dealt
    there = TableWindow(windows(), table.pk)
    there.open(players[0])
    expect(there.part("watching-text")).to_have_text("Your seat is played in another window.")
    there.part("sit").click()
    expect(there.part("actions").locator("[data-choice=stand]")).to_be_enabled()
    expect(there.part("acting")).to_have_attribute("data-advised", "")
    panel_open(there.part("advice-panel"))
    there.part("hints").click()
    expect(there.part("advice")).to_contain_text(re.compile("Basic strategy: [a-z ]+[.]"))
    expect(there.part("acting")).not_to_have_attribute("data-advised", "")
    play_out([there])
    expect(there.part("advice")).to_contain_text(re.compile("You played: stand[.] (That was|Best play would)"))
    assert TableAction.objects.filter(action__name="stand", is_timeout=False).count() == 1
    check_odds(there, {"Main bet": f"{TABLE.house_edges(terms_of(table))[0].edge_pct}"})
    other_table = table_make(house, name="Other", seats=2, **PATIENT)
    other = TableWindow(there.window, other_table.pk)
    other.follow()
    other.contribute(other_table, [{"main": 100}], asks_for_an_insurance)
    other.take(1)
    expect(other.part("hints")).to_be_enabled()
    expect(other.part("hints")).to_have_attribute("aria-pressed", "false")  # each table has a switch of its own
    deadlines_set(other_table, HOUR)
    other.bet("Your bet")
    other.part("ready").click()
    expect(other.part("actions").locator("[data-choice=insurance]")).to_be_enabled()
    for width, height in reversed(LAYOUT_SIZES):  # the question is long
        other.window.page.set_viewport_size({"width": width, "height": height})
        assert live_faults(other.window.page) == []
    tens = 16 - sum(
        card.get_attribute("code")[1:] in ("10", "J", "Q", "K")
        for card in other.root.locator(".seat.own playing-card").all()
    )
    there.window.expect_verdict(f"The chance is {100 * tens / 49:.2f} %: {tens} of 49 unseen cards are tens.")


def test_a_table_goes_on_when_its_server_was_killed(
    browser: Browser, shared_server: Server, house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Restarted", seats=2, rules={"simple": True}, **PATIENT)
    with Window.open(browser, shared_server) as window:
        window.expected += ["WebSocket connection", "ERR_CONNECTION_REFUSED", "Failed to load resource", "ERR_EMPTY"]
        here = TableWindow(window, table.pk)
        here.open(players[0])
        take_and_be_dealt(here, table)
        shared_server.kill()
        expect(here.part("line")).to_have_attribute("data-line", "up")
        play_out([here])
        expect(here.root.locator(".seat.own .seat-net")).to_be_visible()


def test_a_table_is_played_with_the_keyboard_alone_and_read_aloud(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Keys", seats=2, rules={"simple": True}, **PATIENT)
    here = TableWindow(windows(), table.pk)
    here.open(players[0])
    page = here.window.page
    take = page.get_by_role("button", name="Take seat 2", exact=True)
    expect(take).to_be_enabled()
    take.press("Enter")
    own = here.root.locator(".seat.own")
    expect(own).to_be_focused()
    expect(here.spot("Your bet")).to_be_visible()
    page.keyboard.press("Tab")
    expect(here.spot("Your bet")).to_be_focused()
    deadlines_set(table, HOUR)
    page.get_by_role("radio", name="2 points", exact=True).focus()
    page.keyboard.press("ArrowRight")
    here.spot("Your bet").focus()
    page.keyboard.press("Enter")
    expect(here.part("staked")).to_have_text("10")
    here.part("ready").press("Enter")
    here.window.await_true(lambda: here.phase in {"playing", "pause"})
    deadlines_set(table, HOUR)
    while here.phase != "pause":
        if here.part("actions").locator("button:enabled").count():
            expect(here.part("said")).to_contain_text("Dealer:")
            expect(here.part("actions")).to_be_focused()
            page.keyboard.press("s")
        page.wait_for_timeout(50)
    expect(here.part("said")).to_contain_text("Staked 10 points")
    expect(own).to_be_focused()
    here.part("leave").press("Enter")
    expect(here.part("seats")).to_be_focused()


def test_the_second_click_of_a_double_click_on_hit_takes_no_card_at_a_live_table(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Double click", seats=1, rules={"simple": True}, **PATIENT)
    here = TableWindow(windows(), table.pk)
    here.open(players[0])
    here.contribute(table, [{"main": 100}], takes_three_small_cards)
    here.take(1)
    deadlines_set(table, HOUR)
    here.be_dealt(table)
    page, cards = here.window.page, here.root.locator(".seat.own playing-card")
    here.part("actions").locator("[data-choice=hit]").hover()
    click_in_a_row(page, 1)
    expect(cards).to_have_count(3)
    here.window.await_true(lambda: here.is_asked_for_a_move)
    click_in_a_row(page, 2)
    assert here.is_asked_for_a_move, "the second click was sent"
    play_out([here])
    expect(cards).to_have_count(3)


def takes_three_small_cards(state: RoundState, shoe: Shoe) -> bool:
    """Whether a deal of blackjack to one seat asks for a move, and two hits leave room for more."""
    cards = [*state.seats[0].hands[0].cards, shoe[4], shoe[5]]
    return asks_for_a_move(state, shoe) and all(1 < card.value < 6 for card in cards)


def test_friends_meet_at_a_private_table(windows: Callable[..., Window], house: Partner, players: list[Player]) -> None:
    mine, friend, stranger = windows(), windows(), windows()
    for window, player in zip((mine, friend, stranger), players, strict=True):
        window.log_in(player)
    page = mine.go("/tables/")
    page.get_by_text("A table of your own, for points").click()
    page.get_by_label("Game", exact=True).select_option("blackjack")
    page.get_by_label("Name", exact=True).fill("Only us")
    page.get_by_label("Surrender", exact=True).select_option("off")
    page.get_by_label("All seats at once").check()
    page.get_by_role("button", name="Open the table").click()
    expect(page.get_by_role("heading", name="Only us")).to_be_visible()
    expect(page.get_by_role("button", name="Copy invitation")).to_be_visible()
    table = GameTable.objects.get(name="Only us")
    assert (table.is_private, table.rules["speed"], table.rules["surrender"]) == (True, True, "off")
    there = TableWindow(friend, table.pk)
    there.follow()
    there.take(2)
    expect(page.locator(".seat[data-seat='2']")).to_contain_text("ben")
    there.part("leave").click()
    expect(there.part("watching-text")).to_have_text("You are watching.")
    expect(page.get_by_role("button", name="Take seat 2", exact=True)).to_be_visible()
    open_table = table_make(house, name="Open to all", seats=3, **PATIENT)
    lobby = stranger.go("/tables/")
    expect(lobby.get_by_role("link", name="Open to all")).to_be_visible()
    expect(lobby.get_by_role("link", name="Only us")).to_have_count(0)
    lobby.get_by_label("Dragon tiger", exact=True).check()
    expect(lobby.locator("#lobby-status")).to_have_text("Tables open: 0")
    lobby.get_by_label("All games").check()
    lobby.get_by_role("link", name="Open to all").click()
    expect(lobby.locator(f"#table-{open_table.pk} [data-part=name]")).to_have_text("Open to all")
    missing = stranger.go("/tables/00000000-0000-4000-8000-000000000000/")
    stranger.expected.append("404")
    expect(missing.get_by_role("alert").first).to_contain_text("There is no such table")
    expect(missing.get_by_text("Last rounds")).to_be_hidden()


@pytest.mark.soak
def test_two_tables_stand_side_by_side_in_one_window(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    tables = [
        table_make(house, name="Left", seats=2, **PATIENT),
        table_make(house, game_type="dragon_tiger", currency="FUN", name="Right", **PATIENT),
    ]
    window = windows(width=1600)
    window.log_in(players[0])
    page = window.go("/tables/?open=" + ",".join(str(table.pk) for table in tables))
    left, right = [TableWindow(window, table.pk) for table in tables]
    for each, table in zip((left, right), tables, strict=True):
        expect(each.part("line")).to_have_attribute("data-line", "up")
        expect(each.part("sit")).to_be_enabled()
        each.part("sit").press("Enter")  # the other table may grow meanwhile
        expect(each.root.locator(".seat.own")).to_be_visible()
        deadlines_set(table, HOUR)
    boxes = [each.root.bounding_box() for each in (left, right)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    bar = page.locator(".bar-inner").bounding_box()
    assert bar is not None
    assert bar["x"] <= boxes[0]["x"]
    assert bar["x"] + bar["width"] >= boxes[1]["x"] + boxes[1]["width"]
    for each, other, choice in ((left, right, "Instant"), (right, left, "Red")):
        panel_open(each.root.locator(".settings"))
        each.root.get_by_label(choice, exact=True).check()
        expect(other.root.get_by_label(choice, exact=True)).to_be_checked()
    expect(right.root.get_by_label("Instant", exact=True)).to_be_checked()
    right.bet("Dragon")
    right.part("ready").click()
    right.expect_phase("pause")
    deadlines_set(tables[1], HOUR)
    expect(right.part("house").get_by_role("img")).to_have_count(2)
    left.expect_phase("betting")
    check_round(right)
    assert page_faults(page) == []


@pytest.mark.soak
def test_the_name_of_a_practice_bot_that_is_ready_is_whole_on_a_phone(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, currency="FUN", name="Bots", **PATIENT)
    session_make(players[1])
    TablePlayer.objects.filter(player=players[1]).update(display_name="Leonhard", is_bot=True)
    here, bot = TableWindow(windows(**PHONE), table.pk), TableWindow(windows(), table.pk)
    here.open(players[0])
    here.take(1)
    bot.open(players[1])
    bot.take(2)
    bot.bet("Your bet")
    bot.part("ready").click()
    seat = here.root.locator(".seat.taken:not(.own)")
    expect(seat.locator(".tag")).to_have_count(2)
    expect(seat.locator(".tag.ready")).to_be_visible()
    assert seat.locator(".seat-name").evaluate(FITS)


def test_what_is_needed_to_play_is_in_sight_and_accessible(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    """Axe looks at each state on a phone: at the lobby and at a move in each theme, and with `make soak` at every state
    in each theme and size of the window. `make test` opens the page in each size before the bet, and then gives the
    open page each size.
    """
    table = table_make(house, name="In sight", rules={"simple": True}, **PATIENT)
    window = windows()
    window.log_in(players[0])
    lobby = window.go("/tables/")
    expect(lobby.get_by_role("link", name="In sight")).to_be_visible()
    expect_no_fault_in_each_size(lobby)
    here = TableWindow(window, table.pk)
    here.follow()
    expect_no_fault_in_each_size(window.page, in_every_look=IS_LONG)
    here.contribute(table, [{"main": 100}], asks_for_a_move)
    here.take(4)
    deadlines_set(table, HOUR)
    expect(here.spot("Your bet")).to_be_visible()
    expect_in_sight(here, "clock", "verdict", "spots", "chips")
    expect_no_fault_in_each_size(window.page, in_every_look=IS_LONG)
    here.be_dealt(table)
    expect_in_sight(here, "clock", "house", "verdict", "actions", opens=IS_LONG)
    expect_no_fault_in_each_size(window.page)


@pytest.mark.soak
def test_a_dealer_s_long_hand_fits(windows: Callable[..., Window], house: Partner, players: list[Player]) -> None:
    table = table_make(house, rules={"simple": True}, **PATIENT)
    window = windows()
    here = TableWindow(window, table.pk)
    here.open(players[0])
    here.contribute(table, [{"main": 100}], lambda _, shoe: dealer_draws_many(4, shoe))
    here.take(1)
    deadlines_set(table, HOUR)
    here.be_dealt(table)
    here.decide()
    here.expect_phase("pause")
    deadlines_set(table, HOUR)
    expect(here.part("house").locator("playing-card")).to_have_count(6)
    faults = []
    for width, height in [*LAYOUT_SIZES, (320, 640)]:
        window.page.set_viewport_size({"width": width, "height": height})
        faults += width_faults(window.page)
        is_within = here.part("house").evaluate(FITS)
        faults += [] if is_within else [f"the dealer's hand is wider than its place: {width}x{height}"]
    assert faults == []


def expect_no_fault_in_each_size(page: Page, *, in_every_look: bool = True) -> None:
    """These pages stand for all live tables."""
    for size in SIZES if IS_LONG else (PHONE,):
        page.set_viewport_size(size)
        assert page_faults(page, in_every_look=in_every_look) == []


def expect_in_sight(table: TableWindow, *names: str, opens: bool = True) -> None:
    """Expect the parts as a whole in the window, in each size of it, which the page is opened in if `opens`."""
    for size in SIZES:
        table.window.page.set_viewport_size(size)
        if opens:
            table.follow()
        for name in names:
            expect(table.part(name)).to_be_in_viewport(ratio=0.98)
