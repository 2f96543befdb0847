"""One Chromium for consecutive tests with a browser: its start takes longer than many of these tests."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from playwright.sync_api import Browser, BrowserType, sync_playwright

from casino.local.chromium import CHROMIUM, HEADLESS

UNCOMPILED: Final = "--js-flags=--jitless"
"""Scripts are interpreted: those of a page run too short a time to be worth machine code."""
UNPAINTED: Final = "--force-gpu-mem-available-mb=1"
"""Memory for a corner of a page: the rest is laid out and never painted. Nobody looks at the pages of tests, and to
paint them takes a sixth of Chromium's processor time."""
NOWHERE_ELSE: Final = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
"""No other host is found, so each request to one is an error on the console, in workers and after redirects too."""


@contextmanager
def chromium_type() -> Iterator[BrowserType]:
    """Run Playwright during the block, and yield what launches Chromium.

    Playwright's event loop runs in this thread, so Django would refuse synchronous database calls, and no coroutine
    test can run.
    """
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    try:
        with sync_playwright() as playwright:
            yield playwright.chromium
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


class KeptChromium:
    """A Chromium that is launched when a test needs it, and closed before a test that needs none."""

    def __init__(self) -> None:
        self._held = ExitStack()
        self._browser: Browser | None = None

    def open(self, *, paints: bool = False) -> Browser:
        """Return the browser, and launch it if there is none. It paints whole pages if it is launched to do so."""
        if self._browser is None or not self._browser.is_connected():
            self.close()
            chromium = self._held.enter_context(chromium_type())
            # Chromium's sandbox needs privileges that root in a container does not have.
            program = HEADLESS if HEADLESS.exists() else CHROMIUM
            options = ["--no-sandbox", NOWHERE_ELSE, UNCOMPILED, *([] if paints else [UNPAINTED])]
            self._browser = chromium.launch(executable_path=program, args=options)
            self._held.callback(self._browser.close)
        return self._browser

    def close(self) -> None:
        self._browser = None
        self._held.close()


kept_chromium = KeptChromium()
