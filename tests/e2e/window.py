"""A browser window that records the faults of its pages."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Final, Literal, Self

from axe_playwright_python.base import AXE_SCRIPT
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Route, expect

from apps.accounts.models import Player, User
from tests.e2e.felt_contrast import felt_contrast_faults
from tests.e2e.kept_windows import TIMEOUT_MS, Look, kept_windows
from tests.support.long_form import IS_LONG
from tests.support.server import Server

PASSWORD = "open sesame 99"
PROBE: Final = re.compile(r"/healthz\?routed$")
PROBE_SEND: Final = "async () => (await fetch('/healthz?routed')).text()"
AXE_OPTIONS: Final[dict[str, Any]] = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}

REPEATED: Final = "tbody tr:nth-child(n + 4)"
"""The rows of a table after the third. `make test` takes them for rows like those: the table of a week's hours takes
axe as long as the rest of its page."""

AXE_RUN = """async ([within, options]) => {
  if (!("axe" in window)) return null;
  const { passes, violations } = await axe.run(within, options);
  const faults = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 160)}`));
  return { passes: passes.length, faults };
}"""

PRESS_FIRST = """(within, choices) => {
  const offered = choices.map((choice) => within.querySelector(`[data-choice=${choice}]:enabled`));
  const button = offered.find(Boolean);
  if (!button) return;
  const { left, top, width, height } = button.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  if (!button.contains(there)) throw new Error(`a mouse does not reach ${button.outerHTML}: ${there?.outerHTML}`);
  button.click();
}"""

STAYS_WIDER = """async () => {
  const end = performance.now() + 5000;
  while (document.documentElement.scrollWidth > innerWidth) {
    if (performance.now() > end) return true;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return false;
}"""

expect.set_options(timeout=TIMEOUT_MS)


OTHER_LOOKS: Final[list[tuple[Literal["light", "dark"], Literal["more", "no-preference"]]]] = [
    ("dark", "no-preference"),
    ("dark", "more"),
    ("light", "more"),
]
"""Colours and contrast beside Playwright's own: light, without a preference."""


def page_faults(page: Page, *, in_every_look: bool = IS_LONG) -> list[str]:
    """Return axe's findings on the page, the faint texts on a felt, and a fault if the page is wider than the window.

    Every rule is checked on the light page, and the contrast in the other themes too with `make soak`. In `make test`
    one page of each kind is looked at in every theme.
    """
    found = _axe_faults(page, AXE_OPTIONS, "")
    if in_every_look:
        for scheme, contrast in OTHER_LOOKS:
            page.emulate_media(color_scheme=scheme, contrast=contrast)
            found += _axe_faults(page, {"runOnly": ["color-contrast"]}, f" ({scheme}, contrast {contrast})")
            found += [f"{page.url} ({scheme}, contrast {contrast}): {fault}" for fault in felt_contrast_faults(page)]
        page.emulate_media(color_scheme="light", contrast="no-preference")
    return found + [f"{page.url}: {fault}" for fault in felt_contrast_faults(page)] + width_faults(page)


def width_faults(page: Page) -> list[str]:
    """Return a fault if the page stays wider than the window. A plot gets its new width a moment after the window."""
    return [f"{page.url}: wider than the window"] if page.evaluate(STAYS_WIDER) else []


def _axe_faults(page: Page, options: dict[str, list[str]], look: str) -> list[str]:
    return [f"{page.url}{look}: {fault}" for fault in axe_run(page, options)]


def axe_run(page: Page, options: dict[str, Any], *, within: str = "html", beside: Sequence[str] = ()) -> list[str]:
    """Return axe's findings within the element and outside the elements of `beside`, in `make test` without a table's
    repeated rows. A page gets axe's script once, and sends back no more than is shown."""
    left = [*beside, *([] if IS_LONG else [REPEATED])]
    asked = [{"include": [within], "exclude": left}, options | {"resultTypes": ["violations"]}]
    report = page.evaluate(AXE_RUN, asked)
    if report is None:
        page.evaluate(AXE_SCRIPT)
        report = page.evaluate(AXE_RUN, asked)
    assert report["passes"], f"axe looked at nothing on {page.url}"
    faults: list[str] = report["faults"]
    return faults


def panel_open(panel: Locator) -> None:
    """Open a panel by its key: a click is lost if the page grows above it between press and release. The key is pressed
    once the panel has the focus."""
    summary = panel.locator("> summary")
    summary.focus()
    expect(summary).to_be_focused()
    summary.press("Enter")
    expect(panel).to_have_attribute("open", "")


def press_first(within: Locator, *choices: str) -> None:
    """Press the first of these moves that is offered, where a mouse reaches it. The page looks and presses in one step:
    between two steps another move may be offered, and the second best would be pressed though the best has come."""
    within.evaluate(PRESS_FIRST, choices)


def click_in_a_row(page: Page, number: int) -> None:
    """Click where the mouse is, as the click with this number of a double click, whose second one may be late."""
    page.mouse.down(click_count=number)
    page.mouse.up(click_count=number)


class Window:
    """One window with cookies of its own. `problems` are errors of its pages and requests that leave the site."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.context = context
        self.server = server
        self.problems: list[str] = []
        self.expected: list[str] = []
        """Parts of messages that a test causes on purpose."""
        self.is_kept = True
        """False for a page that cannot be set back: with a routed socket, a script, a listener or a clock of a test."""
        self._listeners: list[tuple[Page, str, Callable[..., None]]] = []
        self.page = self._watched(context.pages[0])

    @classmethod
    @contextmanager
    def open(
        cls,
        browser: Browser,
        server: Server,
        *,
        width: int = 1280,
        height: int = 900,
        motion: bool = False,
        worker: bool = False,
        cold: bool = False,
    ) -> Iterator[Self]:
        """Open a window for the block, and check at its end that nothing went wrong.

        With `worker` its pages may install the service worker; with `cold` nothing is cached of any page.
        """
        look = Look(server.url, width, height, motion, worker, cold)
        context = kept_windows.take(browser, look)
        window = cls(context, server)
        is_kept = False
        try:
            yield window
            is_kept = window.is_kept and not worker and not cold
        finally:
            for page, event, listener in window._listeners:
                page.remove_listener(event, listener)
            kept_windows.give_back(browser, look, context, is_kept=is_kept)
        assert window.unexpected() == [], window.unexpected()

    def unexpected(self) -> list[str]:
        return [problem for problem in self.problems if not any(part in problem for part in self.expected)]

    def new_page(self) -> Page:
        """Open another page with the same cookies."""
        return self._watched(self.context.new_page())

    def _watched(self, page: Page) -> Page:
        listeners: dict[str, Callable[..., None]] = {
            "console": lambda message: self._note(self._told(message), message.type == "error"),
            "pageerror": lambda error: self._note(str(error), True),
            "worker": lambda worker: self._note(f"a worker, which is not watched: {worker.url}", True),
            "framenavigated": lambda frame: self._note(f"left the site: {frame.url}", self._leaves(frame.url)),
        }
        for event, listener in listeners.items():
            page.on(event, listener)  # type: ignore[call-overload]  # one overload for each event's name
            self._listeners.append((page, event, listener))
        return page

    def tab(self) -> Self:
        """Open another tab of the same window."""
        other = copy(self)
        other.page = self.new_page()
        return other

    def log_in(self, who: Player | User) -> None:
        """Give the window the cookie of a log-in."""
        client = Client()
        user = who.user if isinstance(who, Player) else who
        assert user is not None
        client.force_login(user)
        cookie = client.cookies["sessionid"].value
        self.context.add_cookies([{"name": "sessionid", "value": cookie, "url": self.server.url}])

    def forget(self) -> None:
        """Leave the page, whose requests could still set a cookie, and forget all cookies."""
        self.page.goto("about:blank")
        self.context.clear_cookies()

    def go(self, path: str) -> Page:
        self.page.goto(path)
        return self.page

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def rows(self, table: str) -> Locator:
        """Return the rows of the table in the region of this name."""
        return self.page.get_by_role("region", name=table, exact=True).locator("tbody tr")

    def chip(self, amount: str) -> None:
        """Choose the chip of this amount."""
        self.page.get_by_role("radio", name=f"{amount} FUN", exact=True).click()

    def settings(self) -> Page:
        """Open the table's settings."""
        panel_open(self.page.locator("details", has=self.page.get_by_text("Settings", exact=True)))
        return self.page

    def place(self, *spots: str) -> None:
        """Place the chosen chip on each spot, given the beginning of its name."""
        for spot in spots:
            self.page.get_by_role("group", name="Bets").get_by_role("button", name=f"{spot},").click()

    def expect_balance(self, amount: str) -> None:
        expect(self.page.locator("#balance")).to_have_text(amount)

    def await_true(self, condition: Callable[[], bool]) -> None:
        """Return as soon as the condition holds; the page's requests are served meanwhile."""
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while not condition():
            assert time.monotonic() < deadline, "the condition was not met in time"
            self.page.wait_for_timeout(20)

    def route(self, pattern: str | re.Pattern[str], handler: Callable[[Route], object]) -> None:
        """Route requests of the open page. Chromium uses a route some time after it was set, and this waits for it."""
        self.page.route(pattern, handler)
        self.page.route(PROBE, lambda route: route.fulfill(body="routed"))
        self.await_true(lambda: self.page.evaluate(PROBE_SEND) == "routed")
        self.page.unroute(PROBE)

    def expect_verdict(self, text: str) -> None:
        expect(self.page.locator("[data-part=verdict]")).to_contain_text(text)

    def _told(self, message: ConsoleMessage) -> str:
        """Return a message of the console with the path that it concerns, since nothing else identifies a refused
        request."""
        return f"{message.text} {message.location['url'].removeprefix(self.server.url)}".rstrip()

    def _note(self, text: str, is_problem: bool) -> None:
        if is_problem:
            self.problems.append(text)

    def _leaves(self, url: str) -> bool:
        return not url.startswith((f"{self.server.url}/", "about:", "data:", "blob:"))
