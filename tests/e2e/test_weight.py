"""What a cold page costs on a phone: bytes, and targets that a finger hits."""

import gzip

import pytest
from playwright.sync_api import Browser, Response

from apps.accounts.models import Player
from apps.rounds.registry import games
from apps.tables.registry import table_games
from tests.e2e.window import Window
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-weight")

MOST_BYTES = 120_000
SMALL_TARGETS = """() => {
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const targets = "button, .button, select, summary, nav a, input:not([type=hidden], [type=radio], [type=checkbox])";
  return [...document.querySelectorAll(`:is(${targets}), label:has([type=radio], [type=checkbox])`)]
    .filter((element) => shown(element) && !element.closest("details:not([open]) > :not(summary)"))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, box]) => box.width && (box.width < 43.5 || box.height < 43.5))
    .map(([element, box]) => `${element.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`);
}"""


def transferred(response: Response) -> int:
    """Return the bytes of a response on the wire. Static files count as production serves them, compressed by gzip."""
    sizes = response.request.sizes()
    size = sizes["responseBodySize"]
    if "/static/" in response.url:
        size = min(size, len(gzip.compress(response.body(), 9)))
    return size + sizes["responseHeadersSize"]


def loaded(window: Window, path: str) -> dict[str, int]:
    """Return the bytes of each file of a page."""
    window.is_kept = False
    page = window.page
    seen: list[Response] = []

    def note(response: Response) -> None:
        seen.append(response)

    page.on("response", note)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    return {response.url: transferred(response) for response in seen if response.status == 200}


def test_every_page_to_play_at_is_light_and_fits_a_finger(
    browser: Browser, shared_server: Server, player: Player
) -> None:
    """Nothing is kept from one page to the next. The pages of live tables differ by game alone: one in `make test`."""
    names = list(table_games())
    live = [table_make(player.partner, currency="FUN", game_type=name) for name in (names if IS_LONG else names[:1])]
    faults: list[str] = []
    games_here = [f"/play/{game.slug}/" for game in games()]
    tables_here = [f"/tables/{table.pk}/" for table in live]
    for path in ["/", *games_here, "/tables/", *tables_here, "/history/"]:
        with Window.open(browser, shared_server, width=390, height=844, cold=True) as window:
            window.log_in(player)
            weights = loaded(window, path)
            total = sum(weights.values())
            assert len(weights) > 5
            if total >= MOST_BYTES:
                heaviest = sorted(weights.items(), key=lambda item: -item[1])[:5]
                faults.append(f"{path}: {total} bytes, most of them {heaviest}")
            faults += [f"{path}: {fault}" for fault in window.page.evaluate(SMALL_TARGETS)]
    assert faults == []
