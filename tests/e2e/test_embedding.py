"""Tables in a frame of the sample page, which another site serves; also where third-party cookies are blocked."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Frame, FrameLocator, Page, expect
from pytest_django import DjangoDbBlocker

from apps.accounts.models import Player
from apps.core import json
from apps.partners.models import Partner
from apps.partners.services import partner_frame_origins_set
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import GameSession, Round, RoundEnd
from apps.rounds.registry import games
from apps.wallet.models import Wallet
from casino.local.chromium import CHROMIUM
from casino.settings.waits import WAIT_S
from tests.e2e.kept_windows import CSP_WATCH, TIMEOUT_MS
from tests.support.blackjack import blackjack_offer
from tests.support.chromium import UNPAINTED
from tests.support.factories import partner_make, player_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer, games_tried
from tests.support.partners import PartnerClient
from tests.support.server import Server, port_free, server_run

pytestmark = pytest.mark.xdist_group("e2e-embedding")

SAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "embedding" / "host.py"
SEND = "order => document.getElementById('table').contentWindow.postMessage(order, '*')"
STORED = """() => {
  const inner = document.body.appendChild(document.createElement("iframe"));
  const { localStorage, sessionStorage } = inner.contentWindow;
  return [...Object.keys(localStorage), ...Object.keys(sessionStorage)];
}"""
"""The names in the browser's own storages of the frame, since the table's document has replaced them. Playwright's
`storage_state` would read those of a window of the server, and the icon that such a window asks for sets a cookie."""
ALLOWING = "--disable-features=AlwaysBlock3pcsIncognito"
"""Lets a frame of another site use storage and cookies in Playwright's windows, which are private ones."""
SPACE = "() => { document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true })); }"
MIN_HEIGHT = 600
"""The least height of the sample's frame, in pixels (`host.css`)."""
WIDTHS = (1440, 900, 420)
"""Widths of a window, in pixels: with the panel beside the table, without it, and that of a phone."""
FIRST_HEIGHTS = (MIN_HEIGHT, 700, 1100)
"""Heights that a page may give a frame before its table asks for one, in pixels."""


@pytest.fixture(scope="module")
def server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Server]:
    """A server that accepts frame origins of this machine."""
    with django_db_blocker.unblock(), server_run(PUNTO_RATE_LIMITS="0", PUNTO_FRAME_LOOPBACK="1") as running:
        yield running


@pytest.fixture
def blocking_browser(browser: Browser) -> Iterator[Browser]:
    """A whole Chromium, which blocks third-party cookies; the headless shell cannot."""
    options = ["--no-sandbox", UNPAINTED, "--test-third-party-cookie-phaseout"]
    with browser.browser_type.launch(executable_path=CHROMIUM, args=options) as blocking:
        yield blocking


@dataclass
class Casino:
    """A partner's site with the sample page. `origin` is another site than the server's."""

    partner: Partner
    player: Player
    origin: str
    page: Page
    context: BrowserContext
    problems: list[str]

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("#table")

    def open(self, game: GameSpec) -> None:
        self.page.goto(f"{self.origin}/host.html?game={game.id}")

    def messages(self, kind: str) -> list[dict[str, Any]]:
        """Return what the page has received of this type."""
        texts = self.page.locator("#messages li").all_text_contents()
        return [message for message in map(json.decode, texts) if message["type"] == kind]

    def await_message(self, kind: str, number: int = 1) -> dict[str, Any]:
        """Return the message of this type with this number, once the page has it."""
        self.await_true(lambda: len(self.messages(kind)) >= number, kind)
        return self.messages(kind)[number - 1]

    def await_true(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while not condition():
            assert time.monotonic() < deadline, f"{what} was not met: {self.page.locator('#messages').inner_text()}"
            self.page.wait_for_timeout(20)

    def await_refusal(self) -> None:
        """Return as soon as the browser has refused to show a page in the frame."""
        self.await_true(lambda: any("frame-ancestors" in problem for problem in self.problems), "the refusal")

    def await_balance(self, balance: Decimal) -> None:
        """Return as soon as this is the last balance that the page has been told."""

        def is_told() -> bool:
            told = self.messages("balance")
            return bool(told) and Decimal(told[-1]["balance"]) == balance

        self.await_true(is_told, "the last balance")

    def await_size(self) -> None:
        """Return as soon as the frame is as high as the table has asked."""
        height = self.frame.locator("html")

        def is_sized() -> bool:
            told = self.messages("resize")
            return bool(told) and height.evaluate("() => innerHeight") == max(MIN_HEIGHT, told[-1]["height"])

        self.await_true(is_sized, "the frame's height")

    @property
    def inner(self) -> Frame:
        """The table's own document."""
        return next(frame for frame in self.page.frames if frame.parent_frame is not None)

    def send(self, order: dict[str, str]) -> None:
        """Send an order that the sample has no button for."""
        self.page.evaluate(SEND, {"target": "punto"} | order)

    def order(self, name: str) -> None:
        """Click a button of the sample. The page gets the event itself: a real click is lost if the frame is resized
        then, and a real key if the browser is still moving the focus between the processes of page and frame.
        """
        self.page.get_by_role("button", name=name).dispatch_event("click")

    def place(self) -> None:
        """Place one chip on the first spot, once the frame is so high that real clicks after it hit."""
        self.await_size()
        self.frame.locator("[data-spot]:not(.side):enabled").first.dispatch_event("click")

    def bet(self) -> None:
        """Place one chip, and deal."""
        self.place()
        self.deal()

    def deal(self) -> None:
        self.frame.locator("[data-part=deal]:enabled").dispatch_event("click")


@contextmanager
def sample_run(server: Server, system: PartnerClient, player: Player, *, cashier: bool = False) -> Iterator[str]:
    """Run the sample's own server during the block, and return its origin."""
    port = port_free()
    origin = f"http://localhost:{port}"
    partner_frame_origins_set(partner=player.partner, frame_origins=[origin], actor="test")
    words = ["--port", str(port), "--player", player.reference, "--currency", "FUN"]
    words += ["--cashier", f"{origin}/cashier"] if cashier else []
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.bound", str(SAMPLE), *words],
        env=os.environ | {"PUNTO": server.url, "KEY": system.text},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + WAIT_S
        while not _answers(f"http://127.0.0.1:{port}/host.html"):
            assert process.poll() is None, "the sample does not start"
            assert time.monotonic() < deadline, "the sample does not answer"
            time.sleep(0.02)
        yield origin
    finally:
        process.kill()
        process.wait(timeout=WAIT_S)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


@contextmanager
def casino_open(
    browser: Browser, server: Server, *, balance: Decimal = Decimal(1000), cashier: bool = False
) -> Iterator[Casino]:
    """Open a window at the sample page of a new partner, and check at the end that no cookie was used."""
    partner = partner_make()
    blackjack_offer(partner)
    games_offer(partner)
    player = player_make(partner=partner, balance=balance)
    context = browser.new_context(reduced_motion="reduce", locale="en-GB", timezone_id="UTC")
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script(CSP_WATCH)
    problems: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: problems.append(f"cookie to {request.url}") if "cookie" in request.headers else None
    )
    try:
        with sample_run(server, PartnerClient(partner), player, cashier=cashier) as origin:
            yield Casino(partner, player, origin, page, context, problems)
            assert context.cookies() == []
    finally:
        context.close()


@pytest.fixture
def loopback(settings: Any) -> None:
    settings.PUNTO_FRAME_LOOPBACK = True


@pytest.fixture
def blocking_casino(committed: None, loopback: None, blocking_browser: Browser, server: Server) -> Iterator[Casino]:
    with casino_open(blocking_browser, server) as opened:
        yield opened


@pytest.fixture
def casino(
    request: pytest.FixtureRequest, committed: None, loopback: None, browser: Browser, server: Server
) -> Iterator[Casino]:
    """With `make test` in the browser of other tests, and with `make soak` in the one that blocks cookies."""
    chosen = request.getfixturevalue("blocking_browser") if IS_LONG else browser
    with casino_open(chosen, server) as opened:
        yield opened


def test_a_round_of_each_game_is_played_in_a_frame_of_another_site(blocking_casino: Casino) -> None:
    casino = blocking_casino
    for game in games_tried():
        before = Wallet.objects.get().balance
        casino.open(game)
        ready = casino.await_message("ready")
        assert (Decimal(ready["balance"]), ready["currency"], ready["language"]) == (before, "FUN", "en")
        casino.bet()
        started = casino.await_message("round_started")
        assert (Decimal(started["stake"]), started["currency"]) == (Decimal(1), "FUN")
        if game.page.socket_path:
            casino.order("Deutsch")  # in the middle of the round
            assert casino.await_message("ready", 2)["language"] == "de"
            _finish_hand(casino)
        ended = casino.await_message("round_ended")
        played = Round.objects.get(game=game.id)
        assert played.how_ended == RoundEnd.PLAYED
        assert started["round_id"] == ended["round_id"] == str(played.pk)
        assert (Decimal(ended["stake"]), Decimal(ended["payout"])) == (played.stake, played.payout)
        balance = Wallet.objects.get().balance
        if balance != before:
            casino.await_balance(balance)
        assert casino.messages("session_ended") == []
    # The page in the former language may ask once more, with a token that is spent.
    assert [problem for problem in casino.problems if "401" not in problem] == []


def _finish_hand(casino: Casino) -> None:
    """Answer the table's questions until the round has ended."""
    answers = casino.frame.locator("[data-choice=Stand], [data-choice=No]")

    def is_over() -> bool:
        if casino.messages("round_ended"):
            return True
        for button in answers.all():
            if button.is_visible() and button.is_enabled():
                button.click()
        return False

    casino.await_true(is_over, "the end of the hand")


def test_a_table_has_the_height_it_asks_for_keeps_no_secret_and_ignores_other_windows_and_origins(
    blocking_casino: Casino, server: Server
) -> None:
    casino = blocking_casino
    with casino.page.expect_response("**/launch?*") as launched:
        casino.open(games()[0])
    casino.await_message("ready")
    casino.await_message("resize")
    casino.await_true(
        lambda: (
            casino.page.locator("#table").evaluate("frame => frame.offsetHeight")
            == casino.messages("resize")[-1]["height"]
        ),
        "the height",
    )
    # The token and the code are in no cookie, address or log.
    code = launched.value.json()["launch_url"].partition("#")[2]
    inner = casino.inner
    assert inner.evaluate("document.cookie = 'probe=1; SameSite=None; Secure'; document.cookie") == ""  # it is blocked
    assert len(code) > 40
    assert code not in inner.url
    token = inner.evaluate("JSON.parse(document.getElementById('table-data').text).token")
    assert code not in server.log_text
    assert token not in server.log_text
    # A message of another window or origin is ignored.
    inner.evaluate("window.postMessage({target: 'punto', type: 'close'}, '*')")
    inner.evaluate("window.dispatchEvent(new MessageEvent('message', {data: {target: 'punto', type: 'close'},"
                   " origin: 'https://evil.example', source: window.parent}))")  # fmt: skip
    casino.page.get_by_role("button", name="Deutsch").click()
    casino.await_message("ready", 2)
    assert casino.messages("session_ended") == []
    assert GameSession.objects.get().ended_at is None


def test_a_table_stores_nothing_though_the_browser_lets_it(
    committed: None, loopback: None, browser: Browser, server: Server
) -> None:
    options = ["--no-sandbox", UNPAINTED, ALLOWING]
    with (
        browser.browser_type.launch(executable_path=CHROMIUM, args=options) as allowing,
        casino_open(allowing, server) as casino,
    ):
        casino.open(games()[0])
        casino.await_message("ready")
        casino.bet()
        casino.await_message("round_ended")
        assert casino.inner.evaluate(STORED) == []


def test_a_frame_that_gets_the_height_its_table_asks_for_keeps_it_at_any_width_and_first_height(casino: Casino) -> None:
    for game in games_tried():
        casino.open(game)
        casino.await_message("ready")
        casino.page.add_style_tag(content="body { max-width: none; } #table { height: var(--height) !important; }")
        for width in WIDTHS:
            casino.page.set_viewport_size({"width": width, "height": 900})
            for first in FIRST_HEIGHTS:
                # The second height may be that of a low window's layout; from the third on nothing may change.
                *_, third, last = _heights_follow(casino, first, times=4)
                assert third == last, f"{game.id}, {width} px wide, {first} px high at first"


def _heights_follow(casino: Casino, height: int, *, times: int) -> list[int]:
    """Give the frame this height, then each that its table asks for, and return those."""
    asked = []
    for _ in range(times):
        casino.page.evaluate(f"document.body.style.setProperty('--height', '{height}px')")
        casino.await_true(lambda shown=height: casino.inner.evaluate("innerHeight") == shown, "the frame's height")
        height = casino.inner.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
        asked.append(height)
    return asked


def test_a_reload_of_the_frame_asks_the_host_for_a_new_launch_and_no_account_page_or_other_origin_shows_there(
    casino: Casino, server: Server
) -> None:
    casino.open(games()[0])
    casino.await_message("ready")
    casino.inner.evaluate("location.reload()")
    assert casino.await_message("session_ended")["reason"] == "launch_needed"
    casino.await_message("ready", 2)
    assert GameSession.objects.filter(code_spent_at__isnull=False).count() == 2
    for path in ("/accounts/login/", "/accounts/signup/", "/accounts/password/change/"):
        casino.problems.clear()
        casino.page.evaluate("url => { document.getElementById('table').src = url; }", f"{server.url}{path}")
        casino.await_refusal()
        expect(casino.frame.locator("input[type=password]")).to_have_count(0)
    # A page of another origin than the partner's cannot show the table.
    partner_frame_origins_set(partner=casino.partner, frame_origins=["https://elsewhere.example"], actor="test")
    casino.problems.clear()
    casino.open(games()[0])
    casino.await_refusal()
    assert casino.messages("ready") == []
    assert GameSession.objects.latest("pk").code_spent_at is None


def test_the_host_pauses_and_resumes_the_table(casino: Casino) -> None:
    casino.open(games()[0])
    casino.await_message("ready")
    page, frame = casino.page, casino.frame
    casino.place()
    frame.get_by_role("link", name="Skip to the page").dispatch_event("click")
    sheet = frame.get_by_role("dialog")
    frame.get_by_role("button", name="Rounds, odds and rules").click()
    expect(sheet).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(frame.get_by_text("The table is paused.")).to_be_visible()
    expect(frame.locator("main[inert]")).to_have_count(1)  # no click, key or reading program reaches it
    expect(sheet).to_be_hidden()  # it would be above the pause
    casino.inner.evaluate(SPACE)
    page.get_by_role("button", name="Resume").click()
    expect(frame.get_by_text("The table is paused.")).to_have_count(0)
    assert casino.messages("round_started") == []
    casino.inner.evaluate(SPACE)
    casino.await_message("round_ended")
    # No link of the table leads to a page that the frame cannot show.
    frame.get_by_role("button", name="Rounds, odds and rules").click()
    frame.get_by_role("tab", name="Rounds").click()
    frame.locator(".round-row").click()
    expect(frame.get_by_role("button", name="Change the client seed and verify")).to_be_visible()
    expect(frame.locator("main a[href]:visible")).to_have_count(0)
    assert casino.messages("session_ended") == []


def test_the_host_sets_the_language_and_closes_the_table(casino: Casino) -> None:
    page, frame = casino.page, casino.frame
    casino.open(games()[0])
    casino.await_message("ready")
    page.route("**/frame/language", lambda route: route.fulfill(status=503))
    casino.order("Deutsch")
    assert casino.await_message("error")["code"] == "SERVICE_UNAVAILABLE"
    page.unroute("**/frame/language")
    # The page in the other language has the bet without an answer, the last bets and the pause.
    page.route("**/api/game/*/bet", lambda route: route.fetch())  # the bet is placed, but its answer is lost
    casino.bet()
    casino.await_true(Round.objects.exists, "the bet")
    page.unroute("**/api/game/*/bet")
    casino.order("Pause")
    expect(frame.locator("main[inert]")).to_have_count(1)
    casino.order("Deutsch")
    assert casino.await_message("ready", 2)["language"] == "de"
    expect(frame.locator("html")).to_have_attribute("lang", "de")
    assert casino.await_message("round_ended")["round_id"] == str(Round.objects.get().pk)
    expect(frame.locator("main[inert]")).to_have_count(1)
    casino.order("Resume")
    expect(frame.locator("[data-part=rebet]")).to_be_enabled()
    assert GameSession.objects.get().language == "de"
    page.route("**/frame/close", lambda route: route.abort())
    casino.order("Close")
    assert casino.await_message("error", 2)["code"] == "SERVICE_UNAVAILABLE"
    assert casino.messages("session_ended") == []
    page.unroute("**/frame/close")
    casino.order("Close")
    assert casino.await_message("session_ended")["reason"] == "closed"
    expect(frame.get_by_text("Dieser Tisch ist geschlossen.")).to_be_visible()
    assert GameSession.objects.get().ended_at is not None


def test_the_host_is_told_of_refusals_and_gets_the_balance_back(casino: Casino) -> None:
    # The bet is to find the end of the session, and not the page's reading of the player's state just before it.
    casino.page.route("**/play/*/table", lambda route: None)
    casino.open(games()[0])
    casino.await_message("ready")
    for order in ({"type": "dance"}, {"type": "set_language", "language": "tlh"}):
        casino.send(order)
    assert [casino.await_message("error", number)["code"] for number in (1, 2)] == [
        "UNKNOWN_MESSAGE",
        "UNKNOWN_LANGUAGE",
    ]
    casino.place()
    GameSession.objects.update(ended_at=timezone.now())
    casino.deal()
    refused = casino.await_message("error", 3)
    assert (refused["code"], refused["message"]) == ("REFUSED", "Your session has ended.")
    assert casino.await_message("session_ended")["reason"] == "expired"
    casino.await_balance(Decimal(1000))
    expect(casino.frame.locator("#balance")).to_have_text("1,000.00")
    assert not Round.objects.exists()


def test_a_player_without_money_asks_the_host_for_more(
    committed: None, loopback: None, browser: Browser, server: Server
) -> None:
    with casino_open(browser, server, balance=Decimal(0), cashier=True) as casino:
        casino.open(games()[0])
        needs = casino.await_message("needs_money")
        assert (needs["balance"], needs["asked"]) == ("0", False)
        casino.frame.get_by_role("link", name="Get more at the cashier").dispatch_event("click")
        assert casino.await_message("needs_money", 2)["asked"] is True
        expect(casino.page.get_by_text("the cashier opens here")).to_be_visible()
