"""The bets of a live table in browsers: changed, taken back, repeated, refused, seen by the others, in sight."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Locator, expect

from apps.accounts.models import Player, User
from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.rounds.services import player_open
from apps.switches.models import Switch, SwitchScope
from apps.switches.services import switch_off_by_platform
from apps.tables.models import GameTable, TableAction
from apps.tables.table_administration import table_close_by
from apps.wallet.models import Wallet, WalletStatus
from tests.e2e.layouts import SIZES, live_faults
from tests.e2e.live_table import HOUR, NOW, TableWindow, asks_for_a_move, felt_height, take_and_be_dealt
from tests.e2e.window import PASSWORD, Window, page_faults
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-tables")

PATIENT = {"window_s": 30, "turn_s": 60, "pause_s": 20}
THREE_BETS = ("player", "banker", "tie")
TEN_BETS = (
    *THREE_BETS, "player_pair", "banker_pair", "either_pair", "perfect_pair", "dragon_7", "panda_8", "super_6",
)  # fmt: skip
PARTS = (
    "clock", "house", "verdict", "spots", "chips", "staked", "undo", "clear", "half", "double", "max", "favourite",
    "rebet", "ready", "name", "leave",
)  # fmt: skip


COVERED = """(tools) => [...tools.querySelectorAll("button")].filter((button) => {
  const { left, top, width, height } = button.getBoundingClientRect();
  return button.checkVisibility() && !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map((button) => button.textContent)"""
"""The buttons that a finger in their middle does not reach."""
OVERLAPS = """async (table) => {
  // Cards are on their way for a moment.
  await Promise.all(table.getAnimations({ subtree: true }).map((each) => each.finished.catch(() => null)));
  const parts = ".live-clock, .verdict, .live-spots, .seat.own, .rail-tools, .live-house playing-card, .live-card-side";
  const shown = [...table.querySelectorAll(parts)].filter((part) => part.checkVisibility());
  const cover = (one, other) => {
    if (one === other || one.contains(other) || other.contains(one)) return false;
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    return width > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  };
  const name = (part) => part.dataset.part || part.className;
  const pairs = shown.flatMap((one) => shown.map((other) => [one, other]));
  return pairs.filter(([one, other]) => cover(one, other)).map((pair) => pair.map(name).join(" and "));
}"""
"""The parts of a table that cover each other."""


@pytest.fixture
def players(house: Partner) -> list[Player]:
    """Two players of the house with 1,000.00 FUN each."""
    users = [User.objects.create_user(name, password=PASSWORD) for name in ("ann", "ben")]
    return [player_open(partner=house, reference=user.username, currency_code="FUN", user=user) for user in users]


@pytest.fixture
def windows(browser: Browser, committed: None, shared_server: Server) -> Iterator[Callable[..., Window]]:
    """Returns a function that opens a window with cookies of its own."""
    with ExitStack() as stack:
        yield lambda **size: stack.enter_context(Window.open(browser, shared_server, **size))


def baccarat_table(
    house: Partner, bets: tuple[str, ...] = THREE_BETS, *, most: int = 1000, least_on_tie: int = 5
) -> GameTable:
    limits = {bet: {"minAmount": least_on_tie if bet == "tie" else 5, "maxAmount": most} for bet in bets}
    return table_make(house, game_type="baccarat", currency="FUN", name="Bets", limits=limits, **PATIENT)


def seated(window: Window, table: GameTable, player: Player, seat: int = 1) -> TableWindow:
    here = TableWindow(window, table.pk)
    here.open(player)
    here.take(seat)
    deadlines_set(table, HOUR)
    expect(here.spot("Player" if table.game_type == "baccarat" else "Your bet")).to_be_visible()
    return here


def chip(table: TableWindow, amount: str) -> None:
    table.part("chips").get_by_role("radio", name=amount, exact=True).click()


def expect_staked(table: TableWindow, amount: str, balance: str) -> None:
    expect(table.part("staked")).to_have_text(amount)
    table.window.expect_balance(balance)


def height_of(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["height"]


def test_bets_are_doubled_taken_back_and_repeated(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = baccarat_table(house)
    here, other = (seated(windows(), table, player, seat) for seat, player in enumerate(players, start=1))
    here.follow()  # its own countdown is an hour now, since no bet can be taken back in the last seconds
    chip(here, "5.00 FUN")
    here.bet("Player")
    here.bet("Tie")
    expect_staked(here, "10.00", "990.00")
    here.part("double").click()
    expect_staked(here, "20.00", "980.00")
    here.part("undo").click()
    expect_staked(here, "10.00", "990.00")
    here.part("undo").click()
    expect_staked(here, "5.00", "995.00")
    here.part("clear").click()
    expect_staked(here, "0.00", "1,000.00")
    here.part("undo").click()
    expect_staked(here, "5.00", "995.00")
    body = here.window.page.locator("body")
    for key, staked, balance in (
        ("x", "10.00", "990.00"),
        ("z", "5.00", "995.00"),
        ("m", "1,000.00", "0.00"),
        ("u", "5.00", "995.00"),
        ("f", "5.00", "995.00"),  # it is the favourite bet now
        ("c", "0.00", "1,000.00"),
        ("f", "5.00", "995.00"),
    ):
        body.press(key)
        expect_staked(here, staked, balance)
    there = other.root.locator(".seat[data-seat='1']")
    expect(there).to_contain_text("Player 5.00")
    expect(there.locator(".stack .chip")).to_have_count(1)
    here.part("ready").click()
    other.bet("Banker")
    height = height_of(here.part("betting"))
    other.part("ready").click()
    here.expect_phase("pause")
    expect(here.part("double")).to_be_disabled()
    assert height_of(here.part("betting")) == height  # nothing moves between two windows
    spots = here.root.locator("[data-spot]").evaluate_all("spots => spots.map((spot) => spot.dataset.spot)")
    assert spots[:3] == ["player", "tie", "banker"]
    deadlines_set(table, NOW)
    here.expect_phase("betting")
    deadlines_set(table, HOUR)
    here.follow()  # loaded again: the last bets are kept in the browser
    expect(here.part("ready")).to_have_text("Same bet, ready")
    held = Wallet.objects.get(player=players[0], currency="FUN").balance
    body.press("Space")
    expect(here.part("staked")).to_have_text("5.00")
    here.window.expect_balance(f"{held - 5:,.2f}")
    expect(other.root.locator(".seat[data-seat='1']")).to_contain_text("Ready")
    placed = TableAction.objects.filter(player=players[0], action__name="place_bet").latest("pk")
    assert placed.action["bet_type"] == "player"


def test_chips_follow_limits_and_balance_and_say_so(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    here = seated(windows(), baccarat_table(house, most=600, least_on_tie=25), players[0])
    expect(here.spot("Player")).to_contain_text("5 to 600")
    expect(here.part("chips").get_by_role("radio", name="5.00 FUN", exact=True)).to_be_checked()
    expect(here.part("chips").get_by_role("radio", name="1.00 FUN", exact=True)).to_have_count(0)
    here.spot("Tie").click()
    expect(here.part("problem")).to_have_text("25.00 FUN is the least on Tie. Choose a higher chip.")
    chip(here, "500.00 FUN")
    here.bet("Player")
    here.bet("Player")
    expect_staked(here, "600.00", "400.00")
    expect(here.part("problem")).to_have_text("600.00 FUN is the most on Player.")
    expect(here.part("chips").get_by_role("radio", name="500.00 FUN", exact=True)).to_be_disabled()
    here.spot("Tie").click()
    expect(here.part("problem")).to_have_text("Your balance is 400.00 FUN. It does not cover this bet.")
    expect_staked(here, "600.00", "400.00")
    # The page names a switch that is off before a bet is refused, until a bet is accepted again.
    off = "New bets are switched off here for now. Your balance is safe."
    switch_off_by_platform(scope=SwitchScope.PLAYER, key=str(players[0].pk), reason="a test", component="a test")
    here.follow()
    expect(here.part("problem")).to_have_text(off)
    here.part("clear").click()
    expect_staked(here, "0.00", "1,000.00")
    expect(here.part("problem")).to_have_text(off)
    Switch.objects.update(is_off=False)
    here.bet("Player")
    expect(here.part("problem")).to_be_empty()


def test_a_stake_that_is_given_back_as_the_table_closes_is_in_the_balance_at_once_and_a_link_leads_on(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = baccarat_table(house)
    here = seated(windows(), table, players[0])
    here.bet("Player")
    expect_staked(here, "5.00", "995.00")
    operator = User.objects.create_user("operator", password=PASSWORD)
    with ThreadPoolExecutor(1) as pool:  # Playwright's event loop runs in this thread
        pool.submit(table_close_by, table=table, user=operator).result()
    here.expect_phase("closed")
    here.window.expect_balance("1,000.00")
    expect(here.part("sit")).to_be_hidden()
    here.part("open-tables").click()
    expect(here.window.page).to_have_url(re.compile("/tables/$"))


def test_a_player_whose_wallet_is_blocked_at_the_table_is_told_so_and_keeps_the_stake(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = baccarat_table(house)
    here = seated(windows(), table, players[0])
    here.bet("Player")
    expect_staked(here, "5.00", "995.00")
    Wallet.objects.filter(player=players[0]).update(status=WalletStatus.BLOCKED)
    here.spot("Player").click()
    expect(here.part("problem")).to_have_text("Play is blocked for your account. Ask the operator.")
    expect_staked(here, "5.00", "995.00")
    deadlines_set(table, NOW)
    here.expect_phase("pause")
    expect(here.part("problem")).to_be_empty()  # it would cover the result


def test_no_move_gets_the_focus_by_itself(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Focus", seats=1, rules={"simple": True}, **PATIENT)
    watcher = TableWindow(windows(), table.pk)
    watcher.open(players[1])
    expect(watcher.part("watching-text")).to_have_text("You are watching.")
    here = TableWindow(windows(), table.pk)
    here.open(players[0])
    here.contribute(table, [{"main": 100}], asks_for_a_move)
    here.take(1)
    expect(watcher.part("watching-text")).to_have_text("Every seat is taken.")
    deadlines_set(table, HOUR)
    moves = here.part("actions").locator("button:enabled")
    here.bet("Your bet")
    here.part("ready").focus()
    here.window.page.keyboard.press("Enter")
    here.window.await_true(lambda: moves.count() > 0)
    deadlines_set(table, HOUR)
    expect(moves).to_have_count(2)
    assert not here.part("actions").locator("button:focus").count()
    assert not here.part("actions").locator(".primary").count()
    here.window.page.keyboard.press("Enter")
    here.part("actions").locator("[data-choice=hit]").focus()
    here.window.page.keyboard.press("Enter")
    here.window.await_true(lambda: TableAction.objects.filter(action__name="hit").exists())
    here.window.await_true(lambda: not here.part("actions").locator("button:focus").count())
    assert TableAction.objects.filter(action__name="hit").count() == 1


def test_a_seat_is_taken_again_where_somebody_has_played(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = table_make(house, name="Again", seats=2, **PATIENT)
    here = seated(windows(), table, players[0])
    watcher = TableWindow(windows(), table.pk)
    watcher.open(players[1])
    for _ in range(2):
        expect(watcher.root.locator(".seat[data-seat='1'] .seat-hands")).to_be_attached()
        here.part("leave").click()
        expect(watcher.root.locator(".seat[data-seat='1'] .seat-hands")).to_have_count(0)
        here.take(1)


@pytest.mark.soak
def test_who_leaves_with_a_stake_is_told_that_it_stays_and_may_come_back(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = baccarat_table(house, THREE_BETS, most=25)
    here = seated(windows(width=360, height=640), table, players[0])
    other = seated(windows(), table, players[1], seat=2)  # the round waits for the bets of the other
    here.bet("Player")
    here.part("leave").click()
    expect(here.part("watching-text")).to_have_text("You have left. Your stake stays in this round.")
    expect(here.part("leave")).to_be_hidden()
    expect(here.part("betting")).to_be_hidden()
    assert live_faults(here.window.page) == []
    here.window.page.reload()
    expect(here.part("watching-text")).to_have_text("You have left. Your stake stays in this round.")
    here.root.get_by_role("button", name="Take a seat", exact=True).click()
    expect(here.part("betting")).to_be_visible()
    here.part("leave").click()
    expect(here.part("betting")).to_be_hidden()
    deadlines_set(table, NOW)
    here.expect_phase("pause")
    expect(here.part("watching-text")).to_have_text("You are watching.")
    played = Round.objects.get(player=players[0])
    assert played.how_ended == "played"
    expect(here.part("verdict")).to_contain_text(re.compile("You (win|lose) 5|Your stake comes back"))
    expect(here.part("verdict").locator("small")).to_have_text(
        f"Staked {played.stake:,.2f} FUN, returned {played.payout:,.2f} FUN."
    )
    # Who takes the free seat in the pause is not told the result of the one before.
    other.part("leave").click()
    other.take(1)
    expect(other.root.locator(".seat[data-seat='1'] .seat-net")).to_be_empty()
    expect(other.part("verdict").locator("small")).to_have_count(0)


@pytest.mark.parametrize("bets", [THREE_BETS, TEN_BETS] if IS_LONG else [TEN_BETS], ids=len)
def test_bets_are_placed_without_scrolling(
    windows: Callable[..., Window], house: Partner, players: list[Player], bets: tuple[str, ...]
) -> None:
    """The page is opened in each size. Axe looks at the smallest one, and at each with `make soak`."""
    here = seated(windows(), baccarat_table(house, bets, most=25), players[0])
    chip(here, "25.00 FUN")
    empty = felt_heights(here)
    for spot in here.part("spots").locator(".spot").all():
        spot.click()
    expect(here.part("staked")).to_have_text(f"{25 * len(bets)}.00")
    assert felt_heights(here) == empty  # chips have room
    for width, height in [(1280, 552), *SIZES] if IS_LONG else [(1280, 552), SIZES[-1]]:
        here.window.page.set_viewport_size({"width": width, "height": height})
        here.follow()
        expect(here.part("staked")).to_have_text(f"{25 * len(bets)}.00")
        for name in PARTS:
            expect(here.part(name)).to_be_in_viewport(ratio=0.98)
        for selector in (".seat.own", ".settings > summary"):
            expect(here.root.locator(selector)).to_be_in_viewport(ratio=0.98)
        here.spot("Player").click()
        expect(here.part("problem")).to_have_text("25.00 FUN is the most on Player.")
        expect(here.part("problem")).to_be_in_viewport(ratio=0.98)
        assert [*small_targets(here.root), *live_faults(here.window.page)] == []
        if IS_LONG or (width, height) == SIZES[-1]:
            assert page_faults(here.window.page) == []


def felt_heights(here: TableWindow) -> list[int]:
    """Return the heights of the felt in windows of all sizes."""
    heights = []
    for width, height in SIZES:
        here.window.page.set_viewport_size({"width": width, "height": height})
        heights.append(felt_height(here))
    return heights


def small_targets(root: Locator) -> list[str]:
    """Return the buttons of a table that are lower or narrower than a fingertip."""
    found: list[str] = root.evaluate(
        """(root) => [...root.querySelectorAll("button, summary, a.button")].filter((each) => each.checkVisibility())
        .filter((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height) < 43.5)
        .map((each) => `${each.textContent} ${each.offsetWidth} x ${each.offsetHeight}`)"""
    )
    return [re.sub(r"\s+", " ", each) for each in found]


@pytest.mark.soak
def test_no_button_below_the_table_covers_another_on_a_small_phone_in_landscape(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    here = seated(windows(width=640, height=360), baccarat_table(house), players[0])
    chip(here, "5.00 FUN")
    here.bet("Player")
    for width in (640, 667, 740):
        here.window.page.set_viewport_size({"width": width, "height": 360})
        assert here.part("betting").evaluate(COVERED) == [], width
        expect(here.part("undo")).to_be_visible()


@pytest.mark.soak
def test_nothing_of_a_table_covers_another_part_on_a_small_phone_in_landscape(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    table = baccarat_table(house)
    here = TableWindow(windows(width=640, height=360), table.pk)
    here.open(players[0])
    here.contribute(table, [{"player": 500}], lambda deal, _shoe: len(deal.cards) == 6)
    here.take(1)
    deadlines_set(table, HOUR)
    chip(here, "5.00 FUN")
    here.bet("Player")
    overlaps_check(here)
    here.part("ready").click()
    here.expect_phase("pause")
    expect(here.root.locator(".live-house playing-card:nth-child(3)")).to_have_count(2)
    overlaps_check(here)

    table = table_make(house, name="Hands", rules={"simple": True}, currency="FUN", **PATIENT)
    other = TableWindow(windows(width=640, height=360), table.pk)
    other.open(players[1])
    take_and_be_dealt(other, table)
    overlaps_check(other, moves=True)


def overlaps_check(table: TableWindow, *, moves: bool = False) -> None:
    """Check that no part covers another in windows of two small phones, and that `moves` need no scrolling."""
    for width, height in ((640, 360), (667, 375)):
        table.window.page.set_viewport_size({"width": width, "height": height})
        assert table.root.evaluate(OVERLAPS) == [], (width, height)
        for move in table.part("actions").locator("button").all() if moves else ():
            expect(move).to_be_in_viewport(ratio=1)


def test_forced_colours_leave_the_countdown_its_bar(
    windows: Callable[..., Window], house: Partner, players: list[Player]
) -> None:
    here = seated(windows(), baccarat_table(house), players[0])
    here.window.page.emulate_media(forced_colors="active")
    back = here.part("clock").evaluate("clock => getComputedStyle(clock).backgroundColor")
    expect(here.part("clock-bar")).not_to_have_css("background-color", back)
    here.window.page.emulate_media(forced_colors="none")
