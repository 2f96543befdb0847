"""The service worker in a browser: what it keeps, and the offline page."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from apps.accounts.models import Player
from tests.e2e.window import Window
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-pwa")

SEED = "0123456789abcdef" * 4
KEPT = """async () => {
    await navigator.serviceWorker.ready;
    const found = [];
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
            const answer = await cache.match(request, { ignoreVary: true });
            found.push({ path: new URL(request.url).pathname, text: await answer.text() });
        }
    }
    return found;
}"""
PAGES = ["/", "/wallet/", "/history/", "/seeds/", "/play/baccarat/"]


@pytest.fixture
def working(browser: Browser, committed: None, shared_server: Server) -> Iterator[Window]:
    """A window whose pages install the service worker."""
    with Window.open(browser, shared_server, worker=True) as opened:
        yield opened


def kept(window: Window) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = window.page.evaluate(KEPT)
    return found


def test_no_page_of_the_player_and_no_amount_is_kept(working: Window, player: Player) -> None:
    working.log_in(player)
    working.go(PAGES[0])
    kept(working)  # from here on pages are under the service worker
    for path in PAGES:
        working.go(path)
        assert working.page.evaluate("Boolean(navigator.serviceWorker.controller)")
        working.page.wait_for_load_state("networkidle")
    working.go("/play/baccarat/")
    working.place("Player")
    working.button("Deal").click()
    working.expect_verdict("returned")
    found = kept(working)
    urls = working.page.evaluate("async () => (await (await fetch('/offline/files')).json()).urls")
    assert sorted(item["path"] for item in found) == sorted(urls)
    page = next(item["text"] for item in found if item["path"] == "/offline/")
    assert "1,000" not in page
    assert player.reference not in page.split("<main")[0]
    assert "data-balance" not in page


def test_without_the_casino_any_page_becomes_one_that_still_verifies_rounds(
    working: Window, player: Player, shared_server: Server
) -> None:
    working.log_in(player)
    page = working.go("/wallet/")
    kept(working)
    working.go("/wallet/")
    working.expected += ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "Failed to fetch", "WebSocket"]
    with shared_server.resting():  # Playwright's offline mode once let the service worker through
        working.go("/wallet/")
        expect(page.get_by_text("There is no connection to the casino")).to_be_visible()
        expect(page.locator("#balance")).to_have_count(0)
        page.get_by_label("Game").select_option("Baccarat")
        page.get_by_label("Server seed").fill(SEED)
        page.get_by_label("Client seed").fill("punto")
        page.get_by_label("Nonce").fill("0")
        working.button("Deal again").click()
        expect(page.locator("#verify-codes")).to_have_text("H3 D7 S10 D9 D7 S8")
    working.go("/wallet/")
    working.expect_balance("1,000.00")
