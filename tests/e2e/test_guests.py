"""A newcomer plays from the front page without signing up."""

from decimal import Decimal

import pytest
from django.conf import settings
from playwright.sync_api import Route, expect

from apps.accounts.models import Player, Role
from apps.partners.models import Partner
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.wallet.models import Wallet, WalletTransaction
from apps.wallet.services import wallet_adjust
from tests.e2e.window import PASSWORD, Window, page_faults
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_tried
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-guests")

CLICKS = "window.punto_clicks = 0; addEventListener('click', () => { window.punto_clicks += 1; }, { capture: true });"
MAX_CLICKS = 4
LANGUAGES = [code for code, _ in settings.LANGUAGES] if IS_LONG else ["de", "ja"]
"""German has the longest words, and Japanese another script."""


@pytest.mark.parametrize("game", games_tried(), ids=lambda game: game.slug)
def test_the_first_bet_takes_at_most_four_clicks_from_the_front_page(
    window: Window, house: Partner, game: GameSpec
) -> None:
    page = window.go("/")
    page.evaluate(CLICKS)
    page.get_by_role("link", name=f"Play {game.title.lower()}", exact=True).click()
    on_front = 1  # the link has left the page that counted it
    page.wait_for_url(f"**/play/{game.slug}/")
    page.evaluate(CLICKS)
    window.expect_balance("1,000.00")
    assert not Player.objects.exists()
    page.locator("[data-spot]:not(.side)").first.click()
    window.button("Deal").click()
    window.await_true(Round.objects.exists)
    assert on_front + page.evaluate("window.punto_clicks") <= MAX_CLICKS
    guest = Player.objects.get()
    assert (guest.is_guest, guest.partner, Round.objects.get().player) == (True, house, guest)
    assert guest.seed_pairs.get(status="active").client_seed_chosen
    expect(page.locator("body")).to_have_attribute("data-state-url", f"/play/{game.slug}/table")


def test_a_guest_signs_up_and_keeps_what_it_has(window: Window, house: Partner) -> None:
    page = window.go(f"/play/{games()[0].slug}/")
    page.locator("[data-spot]:not(.side)").first.click()
    window.button("Deal").click()
    window.await_true(Round.objects.exists)
    guest = Player.objects.get()
    moved = WalletTransaction.objects.count()
    page.get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    window.button("Sign up").click()
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    player = Player.objects.get()
    assert (player.pk, player.is_guest, player.reference) == (guest.pk, False, "bob")
    assert WalletTransaction.objects.count() == moved


def test_too_many_guests_of_a_network_get_a_page_that_says_so(window: Window, house: Partner) -> None:
    page = window.page
    refusal = '{"code": "RATE_LIMITED", "message": "more than 5 requests in 3600 s", "page": "/guest/full/"}'
    page.route(f"**/play/{games()[0].slug}/session", lambda route: route.fulfill(status=429, body=refusal))
    window.expected.append("429")
    window.go(f"/play/{games()[0].slug}/")
    page.locator("[data-spot]:not(.side)").first.click()
    window.button("Deal").click()
    expect(page.get_by_role("heading", name="Too many guests from your network")).to_be_visible()
    expect(page.get_by_role("link", name="Sign up and play")).to_be_visible()
    assert not Round.objects.exists()


def test_the_first_deals_of_two_tabs_at_once_make_one_guest(window: Window, house: Partner) -> None:
    path = f"/play/{games()[0].slug}/"
    other = window.tab()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    window.context.route(f"**{path}session", hold)
    for tab in (window, other):
        tab.go(path)
        tab.page.locator("[data-spot]:not(.side)").first.click()
        tab.button("Deal").click()
    for done in (1, 2):
        window.await_true(lambda done=done: len(held) >= done)
        held[done - 1].continue_()
    window.await_true(lambda: Round.objects.count() == 2)
    assert Player.objects.count() == 1
    for tab in (window, other):
        tab.expect_verdict("returned")


@pytest.mark.parametrize("game", games_tried(), ids=lambda game: game.slug)
def test_a_tab_from_before_the_first_bet_follows_the_guest_and_keeps_its_chips(
    window: Window, house: Partner, game: GameSpec
) -> None:
    other = window.tab()
    other.go(f"/play/{game.slug}/")
    other.page.locator("[data-spot]:not(.side)").first.click()
    window.go("/play/baccarat/")
    window.place("Player")
    window.button("Deal").click()
    window.await_true(Round.objects.exists)
    wallet = Wallet.objects.get()
    wallet_adjust(operator=staff_make(Role.OPERATOR), wallet=wallet, change=Decimal("500"), reason="a test")
    other.expect_balance(f"{Wallet.objects.get().balance:,.2f}")
    expect(other.page.locator("[data-part=staked]")).to_have_text("1.00")
    other.button("Deal").click()
    other.await_true(lambda: Round.objects.count() == 2)
    assert Player.objects.get().rounds.count() == 2


def test_a_visitor_s_tab_follows_a_log_in_of_another_tab(window: Window, player: Player) -> None:
    other = window.tab()
    other.go("/play/baccarat/")
    expect(other.page.get_by_role("link", name="Sign up", exact=True)).to_be_visible()
    window.log_in(player)
    window.go("/wallet/")
    expect(other.page.get_by_role("link", name="History", exact=True)).to_be_visible()


def test_the_header_of_a_visitor_is_one_line_on_a_phone_in_each_language(phone: Window, house: Partner) -> None:
    for language in LANGUAGES:
        cookie = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": phone.server.url}
        phone.context.add_cookies([cookie])  # type: ignore[list-item]
        page = phone.go("/play/baccarat/")
        expect(page.locator("html")).to_have_attribute("lang", language)
        for width in (390, 360):
            page.set_viewport_size({"width": width, "height": 844})
            box = page.locator(".bar-inner").bounding_box()
            assert box is not None
            assert box["height"] < 60, (language, width)
            assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), (language, width)


def test_who_follows_an_invitation_sits_down_as_a_guest(window: Window, house: Partner) -> None:
    table = table_make(house, currency="FUN", name="Friends")
    page = window.go(f"/tables/{table.pk}/")
    assert page_faults(page) == []
    window.button("Play as a guest").click()
    sit = page.get_by_role("button", name="Take a seat", exact=True)
    expect(sit).to_be_enabled()
    sit.press("Enter")
    expect(page.locator(".seat.own")).to_be_visible()
    assert Player.objects.get().is_guest


def test_an_invitation_offers_a_guest_s_seat_in_sight_on_a_phone_on_its_side(phone: Window, house: Partner) -> None:
    table = table_make(house, currency="FUN", name="Friends")
    phone.page.set_viewport_size({"width": 844, "height": 390})
    for language in LANGUAGES:
        cookie = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": phone.server.url}
        phone.context.add_cookies([cookie])  # type: ignore[list-item]
        page = phone.go(f"/tables/{table.pk}/")
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("form[action='/guest/'] button")).to_be_in_viewport(ratio=1)
