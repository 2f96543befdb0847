"""Windows that several tests use in turn. The process of a page keeps its compiled scripts, so a page from an earlier
test costs half as much as a new one. Between two tests a window is set back to the state of a new one.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Literal

from playwright.sync_api import Browser, BrowserContext, Error, Page

from casino.settings.waits import WAIT_S

TIMEOUT_MS: Final = WAIT_S * 1000
CSP_WATCH: Final = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
});
"""

LEAVING_WATCH: Final = """((site) => {
  const isOwn = (name) => [`${site}/`, "data:", "blob:"].some((start) => name.startsWith(start));
  new PerformanceObserver((loaded) => {
    for (const { name } of loaded.getEntries()) if (!isOwn(name)) console.error(`left the site: ${name}`);
  }).observe({ type: "resource", buffered: true });
})"""
"""Reports each request to another site. Playwright's own event would report every request, of which a page makes about
sixty."""

FORGET: Final = "() => { localStorage.clear(); sessionStorage.clear(); window.name = ''; }"
EMPTY_PAGE: Final = "/healthz"
"""A page of the same site without scripts: a page of another site would get another process."""


@dataclass(frozen=True, slots=True)
class Look:
    """The settings that a window is opened with."""

    url: str
    width: int
    height: int
    motion: bool
    worker: bool
    cold: bool

    @property
    def reduced_motion(self) -> Literal["no-preference", "reduce"]:
        return "no-preference" if self.motion else "reduce"


class KeptWindows:
    """The windows of one browser that no test uses."""

    def __init__(self) -> None:
        self._browser: Browser | None = None
        self._resting: defaultdict[Look, list[BrowserContext]] = defaultdict(list)

    def take(self, browser: Browser, look: Look) -> BrowserContext:
        """Return a context with one empty page: an unused one, or a new one."""
        if browser is not self._browser:
            self._browser = browser
            self._resting.clear()
        return self._resting[look].pop() if self._resting[look] else _opened(browser, look)

    def give_back(self, browser: Browser, look: Look, context: BrowserContext, *, is_kept: bool) -> None:
        """Set the window back for the next test. Close it if it is not kept or cannot be set back."""
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")  # a request that comes now is not another test's error
        if is_kept and browser is self._browser and _is_set_back(context, look):
            self._resting[look].append(context)
        else:
            context.close()


kept_windows: Final = KeptWindows()


def _opened(browser: Browser, look: Look) -> BrowserContext:
    context = browser.new_context(
        base_url=look.url,
        viewport={"width": look.width, "height": look.height},
        reduced_motion=look.reduced_motion,
        locale="en-GB",
        timezone_id="UTC",
        service_workers="allow" if look.worker else "block",
    )
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script(CSP_WATCH)
    context.add_init_script(f"{LEAVING_WATCH}('{look.url}')")
    context.new_page()
    return context


def _is_set_back(context: BrowserContext, look: Look) -> bool:
    """Make the context like a new one. Returns False if its server does not answer any more."""
    if not context.pages:
        return False
    page, *others = context.pages
    try:
        for other in others:
            other.close()
        context.unroute_all(behavior="ignoreErrors")
        context.set_offline(False)
        context.clear_permissions()
        page.goto(f"{look.url}{EMPTY_PAGE}")
        page.evaluate(FORGET)
        context.clear_cookies()  # last: a request of the page that was left could still set one
        _looks_again(page, look)
    except Error:
        return False
    return True


def _looks_again(page: Page, look: Look) -> None:
    page.set_viewport_size({"width": look.width, "height": look.height})
    page.emulate_media(
        media="null",
        color_scheme="light",
        reduced_motion=look.reduced_motion,
        forced_colors="none",
        contrast="no-preference",
    )
