"""RTPs in a browser: the public page and the auditor's pages, with plots that screen readers can read."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.core.cache import cache
from django.db import connections
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from apps.accounts.models import Player, Role
from apps.evidence.rtp_watch import evidence_days_add
from apps.evidence.selectors import law_terms
from apps.partners.models import Partner
from apps.statistics.models import FoldState
from tests.e2e.window import AXE_OPTIONS, Window, axe_run, page_faults, width_faults
from tests.evidence.test_rtp_watch import folded
from tests.support.copied_rounds import banker_player, banker_results, days_ago, rounds_copy
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-office")

ROUNDS = 12_000
BANKER = "BaccaratGameBetOnBanker"


def player_who_bet(house: Partner) -> Player:
    try:
        return banker_player(house)
    finally:
        connections.close_all()


@pytest.fixture
def played(house: Partner, superuser: psycopg.Connection) -> None:
    """Rounds of two months."""
    cache.clear()
    with ThreadPoolExecutor(1) as pool:  # Playwright's event loop runs in this thread
        player = pool.submit(player_who_bet, house).result()
    results = banker_results(ROUNDS, again=0, seed=5)
    third = ROUNDS // 3
    rounds_copy(superuser, player, results[:third], at=lambda _: days_ago(45))
    rounds_copy(superuser, player, results[third : 2 * third], at=lambda _: days_ago(3))
    rounds_copy(superuser, player, results[2 * third :])
    FoldState.objects.all().delete()
    folded(timezone.now())
    evidence_days_add()


def office_faults(page: Page) -> list[str]:
    """Return axe's findings on the page's own part, without the theme's frame, and whether it fits its width."""
    # With `preload` axe itself adds styles, which the content policy refuses.
    found = axe_run(page, AXE_OPTIONS | {"preload": False}, within="#content-main")
    return [*(f"{page.url}: {fault}" for fault in found), *width_faults(page)]


def pages_faults(browser: Browser, server: Server) -> list[str]:
    """Return the findings on the public page, the auditor's two pages and the first page, on a phone and on a desk.

    Axe looks at them on the phone, and with `make soak` on the desk too.
    """
    law = next(key for key in law_terms() if key.kind == BANKER)
    with Window.open(browser, server, width=390, height=800) as window:
        found: list[str] = []

        def look(faults: Callable[[Page], list[str]]) -> None:
            found.extend(faults(window.page))
            window.page.set_viewport_size({"width": 1280, "height": 800})
            found.extend((faults if IS_LONG else width_faults)(window.page))
            window.page.set_viewport_size({"width": 390, "height": 800})

        page = window.go(reverse("rtp"))
        expect(page.get_by_role("cell", name="12,001").first).to_be_visible()
        look(page_faults)
        page.get_by_text("Banker, by month").click()
        expect(page.locator("figure.plot canvas:visible")).to_have_count(1)
        look(page_faults if IS_LONG else width_faults)
        window.log_in(staff_make(Role.AUDITOR))
        for path in (
            reverse("admin:evidence"),
            f"{reverse('admin:evidence_law')}?game={law.game}&kind={law.kind}&law={law.law}&money=play",
        ):
            page = window.go(path)
            expect(page.locator("svg.whisker").first).to_be_visible()
            look(office_faults)
        expect(page.locator("figure.plot canvas")).to_have_count(2)
        page = window.go(reverse("admin:index"))
        for name in ("Bets and the evidence", "RTP over rounds", "Significant events by day"):
            expect(page.locator(f"[aria-label='{name}']")).to_be_visible()
        expect(page.locator("svg.bar").first).to_be_visible()
        look(office_faults)
    return found


def test_the_pages_of_evidence_are_drawn_read_aloud_and_fit_their_width(
    browser: Browser, shared_server: Server, played: None
) -> None:
    """One test looks at all pages, since the rounds take most of its time."""
    assert pages_faults(browser, shared_server) == []
