"""Every state of a live round: it is accessible, and its labels fit in the windows with the least room.

`make test` walks a game with turns with a reader of German, whose words are the longest; the states of a deal at once
are among those of a game with turns. Axe looks at one of several states with the same parts. `make soak` walks every
game in every language, with the first two readers in windows of all sizes, and looks at each theme and state. It takes
pictures too:

    make soak SOAK="tests/e2e/test_live_states.py --pictures /tmp/pictures"
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import gettext, override
from playwright.sync_api import Browser, WebSocketRoute, expect

from apps.accounts.models import Player, User
from apps.accounts.services import user_preferences_set
from apps.blackjack.engine.state import RoundState
from apps.cards.shoe import Shoe
from apps.partners.models import Partner
from apps.rounds.services import player_open
from apps.tables.registry import table_games
from tests.e2e.layouts import SIZES, live_faults
from tests.e2e.live_table import HOUR, NOW, TableWindow, asks_for_a_move, felt_height, play_out
from tests.e2e.window import PASSWORD, Window, page_faults
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-tables")

NAME = "Every state"
PATIENT = {"window_s": 30, "turn_s": 60, "pause_s": 30}
SPEED = {"blackjack": {"speed": True, "insurance": "off"}}
"""All seats decide at once, so one look shows the decision in every language. Without insurance the decision does not
depend on the dealer's card."""
NARROW = [(844, 390), (360, 640), (1280, 552)]
"""The sizes with the least room."""
ALIKE = () if IS_LONG else ("ready", "split", "even", "intermission")
"""States with the parts of another one."""
MAIN_SPOT = "[data-spot=main], [data-spot=player], [data-spot=dragon]"
GAMES = list(table_games()) if IS_LONG else list(SPEED)
LANGUAGES = [code for code, _ in settings.LANGUAGES] if IS_LONG else ["de"]
HELD = "document.getAnimations().forEach((animation) => animation.pause())"
DEALT = "() => document.querySelector('.live-house playing-card')"
NETS_SHOW = """(text) => {
  const shown = document.querySelectorAll(".seat.taken .seat-net:not(:empty)");
  for (const net of shown) net.textContent = text;
  return shown.length;
}"""
HANDS_SHOW = """([total, end]) => {
  const shown = document.querySelectorAll(".seat .hand-line");
  for (const line of shown) {
    line.querySelector(".hand-total").textContent = total;
    line.querySelector(".hand-status").textContent = end;
  }
  return shown.length;
}"""
DEALER_SHOWS = "(text) => { document.querySelector('.live-total').textContent = text; }"
PLACES = """() => [...document.querySelectorAll(".live-head, .live .felt > *, .rail-tools")]
  .filter((element) => element.checkVisibility() && !element.matches(".line, .visually-hidden"))
  .map((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return `${[...element.classList].join(" ")} ${Math.round(top)} to ${Math.round(bottom)}`;
  })"""
"""Where the parts of a table are."""


class Link:
    """The socket of a window's table, which the test can hold back."""

    def __init__(self, window: Window) -> None:
        self.is_held = True
        self.open: list[WebSocketRoute] = []
        window.is_kept = False
        window.context.route_web_socket("**/ws/tables", self._relay)

    def _relay(self, route: WebSocketRoute) -> None:
        self.open.append(route)
        if not self.is_held:
            route.connect_to_server()

    def release(self) -> None:
        """Answer the next connection."""
        self.is_held = False
        self._end()

    def hold(self) -> None:
        """End the connection; no new one is answered."""
        self.is_held = True
        self._end()

    def _end(self) -> None:
        while self.open:
            self.open.pop().close(code=1012, reason="held")


class States:
    """The checks in each state of a round: axe looks at the first window, and every window is measured in several
    sizes. Pictures are taken if they are wanted.
    """

    def __init__(self, game: str, folder: str | None) -> None:
        self.game = game
        self.folder = Path(folder) if folder else None
        self.faults: list[str] = []

    def look(self, name: str, tables: Sequence[TableWindow]) -> None:
        """Look at the state in windows of different languages."""
        if name not in ALIKE:
            self.faults += [f"{name}: {fault}" for fault in page_faults(tables[0].window.page)]
        for place, table in enumerate(tables):
            page = table.window.page
            language = page.locator("html").get_attribute("lang")
            before = page.viewport_size
            assert before is not None
            for width, height in dict.fromkeys([*SIZES, *NARROW]) if IS_LONG and place < 2 else NARROW:
                page.set_viewport_size({"width": width, "height": height})
                state = f"{self.game}-{name}-{language}-{width}x{height}"
                self.faults += [f"{state}: {fault}" for fault in live_faults(page)]
                if self.folder is not None:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=self.folder / f"{state}.png")
            page.set_viewport_size(before)


@pytest.fixture
def players(house: Partner) -> list[Player]:
    """One player for each language, with 1,000.00 FUN each."""
    found = []
    for language in LANGUAGES:
        user = User.objects.create_user(f"reader-{language}", password=PASSWORD)
        user_preferences_set(user=user, language=language, time_zone="")
        found.append(player_open(partner=house, reference=user.username, currency_code="FUN", user=user))
    return found


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.mark.parametrize("game", GAMES)
def test_every_state_of_a_live_round_fits_and_is_accessible(
    browser: Browser,
    stack: ExitStack,
    shared_server: Server,
    house: Partner,
    players: list[Player],
    request: pytest.FixtureRequest,
    game: str,
) -> None:
    states = States(game, request.config.getoption("--pictures"))
    table = table_make(house, game_type=game, currency="FUN", name=NAME, rules=SPEED.get(game, {}), **PATIENT)
    windows = [stack.enter_context(Window.open(browser, shared_server, width=390, height=844)) for _ in players]
    moving = stack.enter_context(Window.open(browser, shared_server, motion=True))
    seated = [TableWindow(window, table.pk) for window in windows]
    watcher = TableWindow(moving, table.pk)
    links = [Link(window) for window in windows]
    watcher.open(players[0])
    connect(states, seated, players, links)
    states.look("watching", seated)
    if game == "blackjack":
        seated[0].contribute(table, [{"main": 100}] * len(seated), asks_for_three_splits)
    for seat, each in enumerate(seated, start=1):
        take(each, seat)
    expect(seated[-1].root.locator(".spot").first).to_be_enabled()
    deadlines_set(table, HOUR)
    states.look("betting", seated)
    bet(states, seated)
    watcher.window.page.wait_for_function(DEALT)
    watcher.window.page.evaluate(HELD)
    deadlines_set(table, HOUR)
    states.look("dealing", [watcher])
    if game == "blackjack":
        seated[0].window.await_true(lambda: all(each.is_asked_for_a_move for each in seated))
        states.look("turn", seated)
        seated[0].part("actions").locator("[data-choice=split]:enabled").click()
        for each in seated[1:]:
            each.decide()
        expect(seated[0].root.locator(".seat.own .seat-hand")).to_have_count(2)
        seated[0].window.await_true(lambda: seated[0].is_asked_for_a_move)
        states.look("split", seated)
        split_to_four(seated[0])
        states.look("four hands", seated)
        heights = felt_heights(seated)
        play_out(seated)
    for each in seated:
        each.expect_phase("pause")
        expect(each.part("verdict").locator("strong")).to_be_visible()
    deadlines_set(table, HOUR)
    if game == "blackjack":
        assert felt_heights(seated) == heights  # the result has room
    states.look("result", seated)
    if game == "blackjack":
        longest_results_show(seated)
        assert felt_heights(seated) == heights
    even_results_show(seated)
    states.look("even", seated)
    deadlines_set(table, NOW)
    for each in seated:
        each.expect_phase("betting")
    deadlines_set(table, HOUR)
    states.look("intermission", seated)
    for link, each in zip(links, seated, strict=True):
        link.hold()
        expect(each.part("line")).to_have_attribute("data-line", re.compile("^(?!up)"))
    states.look("disconnected", seated)
    assert states.faults == [], "\n".join(states.faults)


def longest_results_show(tables: Sequence[TableWindow]) -> None:
    """Show the longest words for how a hand ended on every hand, and at the dealer's: the cards decide which ones there
    are."""
    for table in tables:
        page = table.window.page
        with override(page.locator("html").get_attribute("lang")):
            end = max((gettext(text) for text in ("won", "push", "lost", "bust")), key=len)
            shown = page.evaluate(HANDS_SHOW, [gettext("soft {total}").format(total=21), end])
            page.evaluate(DEALER_SHOWS, gettext("blackjack"))
        assert shown == len(tables) + 3  # the first player has four hands


def even_results_show(tables: Sequence[TableWindow]) -> None:
    """Show at every seat that nothing was gained or lost, which is a word. At which seats the cards lead to it is
    chance."""
    for table in tables:
        page = table.window.page
        with override(page.locator("html").get_attribute("lang")):
            assert page.evaluate(NETS_SHOW, gettext("Even")) == len(tables)


def asks_for_three_splits(state: RoundState, shoe: Shoe) -> bool:
    """Whether a deal asks every seat for a move, and the first one may split, and then split both hands."""
    dealt = 2 * len(state.seats) + 2
    one, *others = [*state.seats[0].hands[0].cards, shoe[dealt], shoe[dealt + 1]]
    return 1 < one.value < 10 and all(other.rank == one.rank for other in others) and asks_for_a_move(state, shoe)


def split_to_four(table: TableWindow) -> None:
    """Split every pair, and stand on each hand before it."""
    hands = table.root.locator(".seat.own .seat-hand")

    def are_four() -> bool:
        table.decide(("split", "stand"))
        return hands.count() == 4

    table.window.await_true(are_four)
    table.window.await_true(lambda: table.is_asked_for_a_move)


def felt_heights(tables: Sequence[TableWindow]) -> list[int]:
    """Return the heights of the felts in windows of a phone's sizes."""
    found = []
    for table in tables:
        for width, height in [*NARROW, (390, 844)]:
            table.window.page.set_viewport_size({"width": width, "height": height})
            found.append(felt_height(table))
    return found


def connect(states: States, tables: Sequence[TableWindow], players: Sequence[Player], links: Sequence[Link]) -> None:
    """Open the table in each window. Nothing on the page moves when it is connected."""
    for table, player in zip(tables, players, strict=True):
        table.window.log_in(player)
        table.window.go(table.path)
        expect(table.part("name")).to_have_text(NAME)
        expect(table.root.locator(".seat")).not_to_have_count(0)
    states.look("connecting", tables)
    places = [table.window.page.evaluate(PLACES) for table in tables]
    for link, table in zip(links, tables, strict=True):
        link.release()
        expect(table.part("line")).to_have_attribute("data-line", "up")
        expect(table.part("sit")).to_be_enabled()
    assert [table.window.page.evaluate(PLACES) for table in tables] == places


def bet(states: States, tables: Sequence[TableWindow]) -> None:
    """Place a bet in each window. The round is dealt when the last player is ready."""
    for table in tables:
        spot = table.root.locator(MAIN_SPOT)
        spot.click()
        expect(spot.locator(".chip").first).to_be_visible()
    for table in tables[:-1]:
        table.part("ready").click()
    states.look("ready", tables[:2])
    tables[-1].part("ready").click()


def take(table: TableWindow, seat: int) -> None:
    button = table.root.locator(f".seat[data-seat='{seat}'] .seat-take")
    expect(button).to_be_enabled()
    button.click()
    expect(table.root.locator(f".seat.own[data-seat='{seat}']")).to_be_visible()
