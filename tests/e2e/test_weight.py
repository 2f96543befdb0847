"""The first visit of a page on a phone: its bytes, and targets large enough for a finger."""

from collections import Counter
from functools import cache
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles.finders import find
from django.urls import reverse
from playwright.sync_api import Browser, Response

from apps.accounts.models import Player
from apps.partners.services import partner_frame_origins_set
from apps.rounds.game_sessions import game_session_open
from apps.rounds.game_spec import GameSpec
from apps.rounds.launch_options import Launch
from apps.rounds.registry import games
from apps.tables.registry import table_games
from apps.wallet.models import Kind
from tests.e2e.window import Window
from tests.support.ledger import move
from tests.support.long_form import IS_LONG
from tests.support.offers import games_tried
from tests.support.server import Server
from tests.support.static_heads import MAX_STATIC_HEAD_BYTES
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-weight")

MAX_BYTES = 115_000
"""Less than the 120 KB that a page may weigh, so that a new feature shows in time that there is no room."""
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
    """Return the bytes of a response on the wire as production sends it over TLS, without HTTP/2, which compresses
    headers too.
    """
    _, _, name = response.url.partition("/static/")
    if name:
        return static_body_bytes(name) + MAX_STATIC_HEAD_BYTES
    sizes = response.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


@cache
def static_body_bytes(name: str) -> int:
    """Return the bytes of a static file, compressed by Brotli where that makes it smaller."""
    body = Path(find(name)).read_bytes()
    return min(len(body), len(brotli.compress(body)))


def loaded(window: Window, path: str) -> dict[str, int]:
    """Return the bytes of each file of a page.

    A table in a frame has another page before it, which sends the launch's code and loads some of the table's files.
    A browser loads a static file once, since its name has its digest in production.
    """
    window.is_kept = False
    page = window.page
    seen: list[Response] = []

    def note(response: Response) -> None:
        seen.append(response)

    page.on("response", note)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    *before, _last = [response for response in seen if response.request.is_navigation_request()]
    weights: Counter[str] = Counter()
    for response in seen:
        is_kept = "/static/" in response.url and response.url in weights
        if response.status == 200 and response not in before and not is_kept:
            weights[response.url] += transferred(response)
    return weights


def frame_address(player: Player, game: GameSpec) -> str:
    """Return the address of the game's table in a frame of the partner's page."""
    partner_frame_origins_set(partner=player.partner, frame_origins=["https://casino.example"], actor="test")
    player.partner.refresh_from_db()
    launch = Launch(embed=True)
    _, code = game_session_open(player=player, game=game.id, currency_code="FUN", launch=launch)
    return f"{reverse('frame', args=[player.partner.slug, game.slug])}#{code}"


def test_every_page_to_play_at_is_light_and_fits_a_finger(
    browser: Browser, shared_server: Server, player: Player
) -> None:
    """Nothing is kept from one page to the next. The pages of live tables differ by game alone, and so do those in a
    frame: `make test` takes one of each, in a frame the heaviest, and of an account's lists the one with a plot.
    """
    move(player.wallets.get(), Kind.DEPOSIT, "5")
    move(player.wallets.get(), Kind.WITHDRAWAL, "-3")  # so that the wallet's page has a plot
    names = list(table_games())
    live = [table_make(player.partner, currency="FUN", game_type=name) for name in (names if IS_LONG else names[:1])]
    faults: list[str] = []
    games_here = [f"/play/{game.slug}/" for game in games_tried()]
    tables_here = [f"/tables/{table.pk}/" for table in live]
    framed = [frame_address(player, game) for game in games() if IS_LONG or game.page.socket_path]
    lists = ["/wallet/", *(["/history/", "/seeds/"] if IS_LONG else [])]
    own = ["/", *games_here, "/tables/", *tables_here, *lists]
    for path, is_own in [*((path, False) for path in [*framed, "/"]), *((path, True) for path in own)]:
        with Window.open(browser, shared_server, width=390, height=844, cold=True) as window:
            if is_own:
                window.log_in(player)
            weights = loaded(window, path)
            total = sum(weights.values())
            assert len(weights) > 5
            if total >= MAX_BYTES:
                heaviest = sorted(weights.items(), key=lambda item: -item[1])[:5]
                faults.append(f"{path}: {total} bytes, most of them {heaviest}")
            faults += [f"{path}: {fault}" for fault in window.page.evaluate(SMALL_TARGETS)]
    assert faults == []
