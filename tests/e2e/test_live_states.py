"""Every state of a live round, in two languages: each is accessible in each theme, and its labels fit in four sizes.

python3 -m casino.local test tests/e2e/test_live_states.py --pictures /tmp/pictures
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from apps.accounts.models import Player, User
from apps.accounts.services import user_preferences_set
from apps.partners.models import Partner
from apps.rounds.services import player_open
from tests.e2e.layouts import SIZES
from tests.e2e.live_table import WINDOW_TIMEOUT_MS, TableWindow, play_out
from tests.e2e.window import PASSWORD, Window, page_faults
from tests.support.server import Server
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-tables")

PATIENT = {"window_s": 30, "turn_s": 60, "pause_s": 15}
HELD = "document.getAnimations().forEach((animation) => animation.pause())"
DEALT = "() => document.querySelector('.live-house playing-card')"
UNFIT = """() => {
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const parts = ".live button, .live .staked, .live .verdict, .bar a, .bar .button";
  const isBeside = (element) => element.closest(".live-side");
  const boxes = [...document.querySelectorAll(parts)].filter((element) => shown(element) && !isBeside(element));
  const faults = boxes
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth)
    .map((element) => `the label overflows: ${element.innerText}`);
  const tools = boxes.filter((element) => element.closest(".rail-tools"));
  for (const one of tools) for (const other of tools) {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (one !== other && width > 1 && height > 1) faults.push(`overlap: ${one.innerText} and ${other.innerText}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window");
  return faults;
}"""
"""Labels that do not fit, and controls that lie on each other."""


class Link:
    """The sockets of a window's table, which the test ends and holds back."""

    def __init__(self, window: Window) -> None:
        self.is_held = False
        self.open: list[WebSocketRoute] = []
        window.context.route_web_socket("**/ws/tables", self._relay)

    def _relay(self, route: WebSocketRoute) -> None:
        if not self.is_held:
            self.open.append(route)
            route.connect_to_server()

    def hold(self) -> None:
        """End the connection; no new one is answered."""
        self.is_held = True
        for route in self.open:
            route.close(code=1012, reason="held")


class States:
    """What is done in each state of a round: axe looks at the first window, and each is measured in four sizes.

    Pictures are taken where they are wanted.
    """

    def __init__(self, folder: str | None) -> None:
        self.folder = Path(folder) if folder else None
        self.faults: list[str] = []

    def look(self, name: str, *tables: TableWindow) -> None:
        self.faults += [f"{name}: {fault}" for fault in page_faults(tables[0].window.page)]
        for table in tables:
            page = table.window.page
            language = page.locator("html").get_attribute("lang")
            before = page.viewport_size
            assert before is not None
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                place = f"{name}-{language}-{width}x{height}"
                self.faults += [f"{place}: {fault}" for fault in page.evaluate(UNFIT)]
                if self.folder is not None:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=self.folder / f"{place}.png")
            page.set_viewport_size(before)


@pytest.fixture
def players(house: Partner) -> list[Player]:
    """One who reads English and one who reads German, with 1,000.00 FUN each."""
    found = []
    for name, language in (("ann", "en"), ("ben", "de")):
        user = User.objects.create_user(name, password=PASSWORD)
        user_preferences_set(user=user, language=language, time_zone="")
        found.append(player_open(partner=house, reference=name, currency_code="FUN", user=user))
    return found


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.mark.parametrize("game", ["blackjack", "baccarat"])
def test_every_state_of_a_live_round_is_accessible(
    browser: Browser,
    stack: ExitStack,
    shared_server: Server,
    house: Partner,
    players: list[Player],
    request: pytest.FixtureRequest,
    game: str,
) -> None:
    states = States(request.config.getoption("--pictures"))
    table = table_make(house, game_type=game, currency="FUN", name="Every state", **PATIENT)
    windows = [stack.enter_context(Window.open(browser, shared_server, width=390, height=844)) for _ in players]
    moving = stack.enter_context(Window.open(browser, shared_server, motion=True))
    tables = [TableWindow(window, table.pk) for window in (*windows, moving)]
    links = [Link(window) for window in windows]
    ann, ben, watcher = tables
    for each, player in zip(tables, [*players, players[0]], strict=True):
        each.open(player)
    states.look(f"{game}-watching", ann, ben)
    for seat, each in enumerate((ann, ben), start=1):
        take(each, seat)
    spots = [each.root.locator(".spot").first for each in (ann, ben)]
    expect(spots[0]).to_be_visible()
    states.look(f"{game}-betting", ann, ben)
    for spot in spots:
        spot.click(timeout=WINDOW_TIMEOUT_MS)  # in the next window where this one has closed
        expect(spot.locator(".chip").first).to_be_visible()
    press_ready(ann)
    states.look(f"{game}-ready", ann)
    press_ready(ben)
    watcher.window.page.wait_for_function(DEALT)
    watcher.window.page.evaluate(HELD)
    states.look(f"{game}-dealing", watcher)
    if game == "blackjack":
        ann.window.await_true(lambda: ann.phase == "pause" or has_turn(ann) or has_turn(ben))
        if ann.phase != "pause":
            states.look(f"{game}-turn", *sorted((ann, ben), key=has_turn, reverse=True))
        play_out([ann, ben])
    for each in (ann, ben):
        each.expect_phase("pause")
        expect(each.part("verdict").locator("strong")).to_be_visible()
    states.look(f"{game}-result", ann, ben)
    for each in (ann, ben):
        expect(each.root).to_have_attribute("data-phase", "betting", timeout=60_000)
    states.look(f"{game}-intermission", ann, ben)
    for link, each in zip(links, (ann, ben), strict=True):
        link.hold()
        expect(each.part("line")).to_have_attribute("data-line", re.compile("^(?!up)"))
    states.look(f"{game}-disconnected", ann, ben)
    assert states.faults == []


def take(table: TableWindow, seat: int) -> None:
    table.root.locator(f".seat[data-seat='{seat}'] .seat-take").click()
    expect(table.root.locator(f".seat.own[data-seat='{seat}']")).to_be_visible()


def press_ready(table: TableWindow) -> None:
    """Press the button if the window is still open: with all bets placed the round begins in any case."""
    table.part("ready").evaluate("(button) => button.click()")


def has_turn(table: TableWindow) -> bool:
    return bool(table.part("actions").locator("button:enabled").count())
