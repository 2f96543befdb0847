"""A table is completely visible in the window, without scrolling, in every state of a round.

`make test` walks in German, whose words are the longest, in the lowest and the narrowest window and on a small laptop,
baccarat with all of its bets, and blackjack. `make soak` walks every game in every language and size, with each theme,
and looks at a state again after the page is loaded in its middle.

    make soak SOAK="tests/e2e/test_layout.py -k whole --pictures /tmp/pictures"

also keeps a picture of each state, in four sizes and two languages.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, WebSocketRoute, expect

from apps.accounts.models import Player
from apps.accounts.services import user_preferences_set
from apps.baccarat.engine import GameType, Winner
from apps.baccarat.models import BaccaratConfig
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.models import BlackjackConfig
from apps.cards.card import Card
from tests.e2e.layouts import SIZES, layout_faults, overflowing
from tests.e2e.window import Window, page_faults, press_first
from tests.support import blackjack
from tests.support.baccarat import odds_set, seeds_choose
from tests.support.long_form import IS_LONG

pytestmark = pytest.mark.xdist_group("e2e-layout")

STAKE_HIDDEN = """() => {
  const words = document.createRange();
  words.selectNodeContents(document.querySelector("#table .staked"));
  const text = words.getBoundingClientRect();
  return [...document.querySelectorAll("#table .rail-tools button")]
    .filter((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      const isBeside = right <= text.left || left >= text.right || bottom <= text.top || top >= text.bottom;
      return button.checkVisibility() && !isBeside;
    })
    .map((button) => button.textContent);
}"""
"""The buttons that hide a part of the stake."""

PICTURED = ("en", "de")
SMALL_LAPTOP = (1180, 600)
"""The narrowest window with a panel beside the table."""
ENLARGED_LAPTOP = (1180, 552)
"""The height that is left on a screen of 1080 lines whose system enlarges everything by half."""
SMALL_PHONE_ON_ITS_SIDE = (640, 360)
"""Also a window of 1280x720 that is enlarged twice."""
DESKTOPS_AND_TABLETS = [(1280, 720), (1180, 720), (1180, 719), (1180, 820), (820, 1180), (768, 1024)]
WALKED = [
    *(SIZES if IS_LONG else [(844, 390)]),
    (320, 640),
    SMALL_PHONE_ON_ITS_SIDE,
    SMALL_LAPTOP,
    ENLARGED_LAPTOP,
]
LANGUAGES = [code for code, _ in settings.LANGUAGES] if IS_LONG else ["de"]
WINNERS = {"de": "^[SBR]$", "ja": "^[プバタ]$"}
"""The letters of player, banker and tie."""
LONGEST = {".total": "Soft 19", ".badge": "unentschieden"}
"""The longest texts of a hand, in German."""
LOW_ODDS = "1"
"""Below the fair odds of every side bet."""
BLACKJACK_WITH_AN_ACE = 10
"""The value of a hole card that ends the round."""


def is_pair_below_an_ace(cards: Sequence[Card]) -> bool:
    """Whether the deal is two eights against an ace. The table then asks for insurance, and after it every move is
    legal.

    The first hand of a split becomes a soft 19, which has the longest text.
    """
    return blackjack.values_are(8, 1, 8, None, 1)(cards) and cards[3].value != BLACKJACK_WITH_AN_ACE


def is_suited_pair_below_an_ace(cards: Sequence[Card]) -> bool:
    """Whether the deal is a pair from 2 to 9 against an ace, all of one suit. Both side bets win, the table asks for
    insurance, and no hand of the split has 21.
    """
    first, up, second, hole = cards
    is_pair = 2 <= first.value <= 9 and first.rank == second.rank
    is_suited = first.suit == up.suit == second.suit
    return is_pair and is_suited and up.value == 1 and hole.value != BLACKJACK_WITH_AN_ACE


def are_two_ties(cards: Sequence[Card]) -> bool:
    """Whether the deal is a pair against a dealer who stands, and both hands of its split tie with hers."""
    first, up, second, hole, left, right = [card.value for card in cards]
    is_hard = 1 not in (first, up, hole, left)
    return is_hard and first == second != 10 and left == right and 17 <= up + hole == first + left


def are_three_splits(cards: Sequence[Card]) -> bool:
    """Whether the deal is a pair against a dealer without an ace, and both hands of its split are pairs again."""
    first, up, second, hole, left, right = cards
    is_asked = 1 < first.value < 10 and 1 not in (up.value, hole.value)
    return is_asked and all(card.rank == first.rank for card in (second, left, right))


def ten_bets_offer(player: Player) -> None:
    config = BaccaratConfig.objects.get(partner=player.partner)
    for bet in list(GameType)[3:]:
        odds_set(config, bet, LOW_ODDS)


def top_of(page: Page, part: str) -> float:
    box = page.locator(f"[data-part={part}]").bounding_box()
    assert box is not None
    return box["y"]


@pytest.fixture
def pictures(request: pytest.FixtureRequest) -> Path | None:
    """The folder for pictures of every state, or None if no pictures are wanted."""
    folder = request.config.getoption("--pictures", default=None)
    return Path(folder) if folder else None


class Walk:
    """One game in each language and size of window. A test brings it into each state.

    Axe looks at each state in the first language, if it is to look at the game.
    """

    def __init__(
        self, window: Window, player: Player, path: str, pictures: Path | None, *, looks_with_axe: bool = True
    ) -> None:
        self.window = window
        self.pictures = pictures
        self.player = player
        self.path = path
        self.looks_with_axe = looks_with_axe
        self.language = ""
        self.found: list[str] = []
        window.log_in(player)

    def measure(self, state: str, reach: Callable[[], None], *, is_played: bool = False) -> None:
        """Open the page in each language, bring it into the state by `reach`, and record the faults in each size.

        With `is_played` the open page is in the state, or comes there by itself.
        """
        page = self.window.page
        for language in sorted(LANGUAGES, key=lambda each: is_played and each != self.language):
            if not is_played or language != self.language:
                self._open(language)
            reach()
            for width, height in WALKED:
                page.set_viewport_size({"width": width, "height": height})
                place = f"{state}, {language}, {width}x{height}: "
                self.found += [place + fault for fault in [*layout_faults(page), *overflowing(page)]]
                if self.pictures and language in PICTURED and (width, height) in SIZES:
                    name = f"{Path(self.path).name}-{state}-{language}-{width}x{height}.png".replace(" ", "-")
                    page.screenshot(path=self.pictures / name)
            if language == LANGUAGES[0] and self.looks_with_axe:
                self.found += [f"{state}: {fault}" for fault in page_faults(page)]

    def _open(self, language: str) -> None:
        page = self.window.page
        assert self.player.user is not None
        user_preferences_set(user=self.player.user, language=language, time_zone="")
        self.window.go(self.path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("[data-part=chips] .chip").first).to_be_attached()
        self.language = language

    def stake(self) -> None:
        """Place a chip on each spot, and a high stack on the first. Every spot is in the window before. Playwright
        scrolls to one that something covers for a moment, and that is taken back before anything else happens."""
        spots = self.window.page.locator("[data-spot]").all()
        for spot in spots:
            expect(spot).to_be_in_viewport(ratio=0.99)
        for spot in [*spots, *3 * spots[:1]]:
            spot.click()
        self.window.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")

    def be_refused(self) -> None:
        self.stake()
        self.window.page.locator("[data-part=deal]").click()
        expect(self.window.page.locator("[data-part=problem]")).not_to_be_empty()

    def refusals_measure(self) -> None:
        self.player.wallets.update(status="blocked")
        self.window.expected.append("status of 403")
        self.measure("refused", self.be_refused)


@pytest.mark.parametrize("bets", [3, 10] if IS_LONG else [10])
def test_baccarat_is_whole_in_every_state(window: Window, player: Player, pictures: Path | None, bets: int) -> None:
    if bets > 3:
        ten_bets_offer(player)
    # A tie has the longest results: the stakes of both sides come back.
    seeds_choose(player, lambda deal: len(deal.player) == len(deal.banker) == 3 and deal.winner is Winner.TIE)
    one_deal_walk(Walk(window, player, "/play/baccarat/", pictures if bets == 3 else None))
    assert settings_scroll(window) == 0
    # The roads name the winner in the page's language, here the last one.
    expect(window.page.locator("[data-part=bead]")).to_have_text(re.compile(WINNERS[LANGUAGES[-1]]))


def settings_scroll(window: Window) -> int:
    """Return how much of the open settings must be scrolled to in a window of a common laptop, in pixels."""
    window.page.set_viewport_size({"width": 1280, "height": 800})
    window.page.locator(".settings > summary").press("Enter")
    menu = window.page.locator(".settings .menu-list")
    expect(menu).to_be_in_viewport(ratio=1)
    hidden: int = menu.evaluate("menu => menu.scrollHeight - menu.clientHeight")
    return hidden


@pytest.mark.soak
def test_dragon_tiger_is_whole_in_every_state(window: Window, player: Player, pictures: Path | None) -> None:
    one_deal_walk(Walk(window, player, "/play/dragon_tiger/", pictures))


def one_deal_walk(walk: Walk) -> None:
    page = walk.window.page
    walk.measure("betting", walk.stake)
    page.locator("[data-part=deal]").click()
    shown = page.locator("[data-part=verdict]:is(.win, .loss, .push)")
    expect(shown).to_be_visible()
    walk.measure("result", lambda: expect(shown).to_be_visible(), is_played=True)
    walk.refusals_measure()
    assert walk.found == [], "\n".join(walk.found)


def test_blackjack_is_whole_in_every_state(window: Window, player: Player, pictures: Path | None) -> None:
    blackjack.seeds_choose(player, is_pair_below_an_ace, cards=5)
    walk, page = Walk(window, player, "/play/blackjack/", pictures), window.page
    is_held = [True]

    def hold(socket: WebSocketRoute) -> None:
        if not is_held[0]:
            socket.connect_to_server()

    window.is_kept = False
    page.route_web_socket("**/*", hold)
    walk.measure("connecting", lambda: None)
    is_held[0] = False
    split_walk(walk)
    walk.refusals_measure()
    assert walk.found == [], "\n".join(walk.found)


@pytest.mark.soak
def test_two_won_side_bets_have_room_in_every_state(window: Window, player: Player, pictures: Path | None) -> None:
    """Their results, and that of the insurance, are the longest line below the hands."""
    blackjack.seeds_choose(player, is_suited_pair_below_an_ace, cards=4)
    walk = Walk(window, player, "/play/blackjack/", pictures, looks_with_axe=False)
    split_walk(walk)
    assert walk.found == [], "\n".join(walk.found)


def split_walk(walk: Walk) -> None:
    """Bet on all spots, decline insurance, split, and stand."""
    page = walk.window.page

    def choices(name: str) -> Callable[[], None]:
        return lambda: expect(page.locator(f"[data-choice={name}]")).to_be_enabled()

    walk.measure("betting", walk.stake)
    page.locator("[data-part=deal]:enabled").click()
    walk.measure("asked", choices("No"), is_played=True)
    page.locator("[data-choice=No]").click()
    walk.measure("in play", choices("Split"), is_played=True)
    page.locator("[data-choice=Split]").click()
    expect(page.locator(".hand-box")).to_have_count(2)
    walk.measure("split", choices("Stand"), is_played=True)
    for _ in range(2):
        page.locator("[data-choice=Stand]:enabled").click()
    result = page.locator("#table[data-phase=result]")
    walk.measure("result", lambda: expect(result).to_be_visible(), is_played=True)


@pytest.mark.soak
def test_the_longest_result_is_whole_in_the_smallest_window(window: Window, player: Player) -> None:
    """A tie has the longest word in German. Two hands and two side bets have one sentence each."""
    assert player.user is not None
    user_preferences_set(user=player.user, language="de", time_zone="")
    blackjack.seeds_choose(player, are_two_ties, cards=6)
    window.log_in(player)
    window.page.set_viewport_size({"width": 320, "height": 640})
    page = window.go("/play/blackjack/")
    page.get_by_role("radio", name="25,00 FUN", exact=True).click()
    for spot in page.locator("[data-spot]").all():
        spot.click()
    page.locator("[data-part=deal]:enabled").click()
    page.locator("[data-choice=Split]").click()
    for _ in range(2):
        page.locator("[data-choice=Stand]:enabled").click()
    expect(page.locator("#table[data-phase=result]")).to_be_visible()
    window.expect_verdict("Hand 2: unentschieden, 25,00 zurück für 25,00.")
    assert [*layout_faults(page), *overflowing(page)] == []


def test_a_long_stake_and_the_buttons_beside_it_are_whole_on_desktops_and_tablets(
    window: Window, player: Player
) -> None:
    assert player.user is not None
    user_preferences_set(user=player.user, language="fr", time_zone="")
    window.log_in(player)
    page = window.go("/play/blackjack/")
    expect(page.locator("#table[data-phase=betting]")).to_be_visible()
    page.locator("[data-part=staked]").evaluate("(staked, text) => { staked.textContent = text; }", "12 345 678,00")
    for width, height in DESKTOPS_AND_TABLETS:
        page.set_viewport_size({"width": width, "height": height})
        assert [*page.evaluate(STAKE_HIDDEN), *layout_faults(page), *overflowing(page)] == [], (width, height)


def test_four_hands_are_whole_at_once_in_every_window(window: Window, player: Player) -> None:
    assert player.user is not None
    user_preferences_set(user=player.user, language="de", time_zone="")
    rules = replace(SOLO_RULES, split_non_ace=3)
    blackjack.rules_set(BlackjackConfig.objects.get(partner=player.partner), rules)
    blackjack.seeds_choose(player, are_three_splits, cards=6)
    window.log_in(player)
    page = window.go("/play/blackjack/")
    page.locator("[data-spot]:not(.side):enabled").click()
    page.locator("[data-part=deal]:enabled").click()
    table, hands = page.locator("#table"), page.locator(".hand-box")

    def are_four() -> bool:
        if hands.count() < 4:
            press_first(table, "Split", "Stand")
        return hands.count() == 4

    def is_over() -> bool:
        press_first(table, "Stand")
        return table.get_attribute("data-phase") == "result"

    window.await_true(are_four)
    expect(page.locator("[data-choice=Stand]:enabled")).to_be_visible()
    faults = faults_in_each_size(page)
    window.await_true(is_over)
    for part, text in LONGEST.items():  # which ones the hands have is chance
        hands.locator(part).evaluate_all("(parts, text) => parts.forEach((part) => (part.textContent = text))", text)
    assert [*faults, *faults_in_each_size(page)] == []


def faults_in_each_size(page: Page) -> list[str]:
    faults = []
    for width, height in [*SIZES, (320, 640), SMALL_LAPTOP, ENLARGED_LAPTOP]:
        page.set_viewport_size({"width": width, "height": height})
        faults += [f"{width}x{height}: {fault}" for fault in [*layout_faults(page), *overflowing(page)]]
    return faults


@pytest.mark.soak
@pytest.mark.parametrize("drawn", [3, 4, 5] if IS_LONG else [5])
def test_a_dealer_s_long_hand_is_whole_in_every_window(window: Window, player: Player, drawn: int) -> None:
    """With `make test` the longest hand, which has the least room."""
    assert player.user is not None
    user_preferences_set(user=player.user, language="de", time_zone="")
    blackjack.seeds_choose(player, partial(blackjack.dealer_draws_many, drawn), cards=4 + drawn)
    window.log_in(player)
    page = window.go("/play/blackjack/")
    page.locator("[data-spot]:not(.side):enabled").click()
    page.locator("[data-part=deal]:enabled").click()
    page.locator("[data-choice=Stand]:enabled").click()
    expect(page.locator("#table[data-phase=result]")).to_be_visible()
    expect(page.locator(".dealer playing-card")).to_have_count(2 + drawn)
    assert faults_in_each_size(page) == []


def test_nothing_of_a_table_with_ten_bets_moves_when_they_are_dealt(window: Window, player: Player) -> None:
    ten_bets_offer(player)
    sizes = [*WALKED, (1280, 800)] if IS_LONG else [SMALL_PHONE_ON_ITS_SIDE, ENLARGED_LAPTOP]
    seeds_choose(player, lambda deal: len(deal.player) == len(deal.banker) == 3, rounds=len(sizes))
    window.log_in(player)
    page = window.go("/play/baccarat/")
    spots = page.locator("button[data-spot]")
    expect(spots).to_have_count(10)
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        for index in range(10):
            spots.nth(index).click()
        assert layout_faults(page) == []
        before = (top_of(page, "deal"), top_of(page, "spots"), page.evaluate("scrollY"))
        window.button("Deal").click()
        window.expect_verdict("returned")
        assert layout_faults(page) == []
        assert (top_of(page, "deal"), top_of(page, "spots"), page.evaluate("scrollY")) == before
        page.keyboard.press("Escape")


@pytest.mark.soak
def test_the_spots_stay_where_they_are_when_the_chips_come(window: Window, player: Player) -> None:
    window.log_in(player)
    for game in ("baccarat", "blackjack", "dragon_tiger"):
        page = window.go(f"/play/{game}/")
        expect(page.locator("[data-part=chips] .chip")).to_have_count(6)
        places = spots_places(page)
        page.locator("[data-part=chips]").evaluate("(chips) => chips.replaceChildren()")
        assert spots_places(page) == places, game


def spots_places(page: Page) -> list[object]:
    """Return where the spots are in windows of three heights."""
    places: list[object] = []
    for height in (720, 600, 552):
        page.set_viewport_size({"width": 1280, "height": height})
        places.append(page.locator("[data-part=spots]").bounding_box())
    return places
