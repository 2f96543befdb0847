"""The player's pages: accessibility, width, and the second factor."""

import base64
import hmac
import struct
import time
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser, ViewportSize, expect

from apps.accounts.browser_guest import GUEST_KEY
from apps.accounts.models import Player, PlayerFavourite, User
from apps.partners.models import Partner
from apps.portal.guests import guest_open
from apps.portal.replay import example_url
from apps.rounds.registry import games
from apps.rounds.services import seeds_rotate
from apps.wallet.models import Kind
from tests.e2e.window import PASSWORD, Window, page_faults, width_faults
from tests.support.baccarat import seeds_choose
from tests.support.factories import player_make
from tests.support.ledger import move
from tests.support.long_form import IS_LONG
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-baccarat")

PUBLIC = [
    "/",
    "/accounts/signup/",
    "/accounts/login/",
    "/accounts/password/reset/",
    "/fairness/",
    "/fairness/how/",
    "/fairness/rtp/",
]
TABLES = [f"/play/{game.slug}/" for game in games()]
KINDS = ["/accounts/login/", "/fairness/"]
OWN_KINDS = ["/", "/play/blackjack/", "/wallet/", "/seeds/"]
"""One page of each kind, which is looked at in every theme."""
PHONE = ViewportSize(width=390, height=844)
DESK = ViewportSize(width=1280, height=900)
OWN = [
    *["/", *TABLES, "/wallet/", "/history/", "/seeds/", "/no-such-page/"],
    *["/accounts/2fa/", "/accounts/email/", "/accounts/password/change/", "/accounts/logout/"],
]


def faults(window: Window, path: str, *, in_every_look: bool) -> list[str]:
    """Return the faults of a freshly loaded page: axe's findings on a phone, and the width on a phone and a desktop.
    With `make soak` axe looks in both sizes.
    """
    window.page.set_viewport_size(PHONE)
    page = window.go(path)
    page.wait_for_load_state()
    found = page_faults(page, in_every_look=IS_LONG or in_every_look)
    page.set_viewport_size(DESK)
    return found + (page_faults(page) if IS_LONG else width_faults(page))


def test_pages_are_accessible_and_fit_their_width(window: Window, player: Player) -> None:
    window.expected = ["status of 404"]
    found = [fault for path in PUBLIC for fault in faults(window, path, in_every_look=path in KINDS)]
    window.log_in(player)
    seeds_choose(player, lambda deal: True)
    page = window.go("/play/baccarat/")
    window.place("Player", "Tie")
    window.button("Deal").click()
    window.expect_verdict("returned")
    played = player.rounds.get()
    for path in [*OWN, f"/history/{played.pk}/"]:
        found += faults(window, path, in_every_look=path in OWN_KINDS)
    assert found == []
    assert page.title()


def test_a_long_name_and_twelve_digits_fit(window: Window, house: Partner) -> None:
    user = User.objects.create_user("a-name-that-is-as-long-as-names-can-be@long.example", password=PASSWORD)
    player = player_make(balance=Decimal("999999999999.99"), partner=house, user=user)
    window.log_in(player)
    for path in ("/", *TABLES, "/wallet/"):
        page = window.go(path)
        expect(page.locator("#balance")).to_have_text("999,999,999,999.99")
        for width, height in ((390, 844), (844, 390)):
            page.set_viewport_size({"width": width, "height": height})
            assert width_faults(page) == [], (path, width)


def test_the_bar_is_one_line_with_any_number_of_games(window: Window, player: Player) -> None:
    window.log_in(player)
    page = window.go("/")
    links = page.get_by_role("banner").get_by_role("link", name=games()[-1].title, exact=True)
    for width, height in ((1280, 720), (1000, 700), (844, 390), (390, 667)):
        page.set_viewport_size({"width": width, "height": height})
        bar = page.locator(".bar").bounding_box()
        assert bar is not None
        assert bar["height"] < 80
        is_in_menu = links.count() == 0
        if is_in_menu:
            page.get_by_text("ann", exact=True).click()
        expect(links).to_be_visible()
        if is_in_menu:
            page.keyboard.press("Escape")


def test_the_links_of_the_bar_give_way_to_a_long_balance(window: Window, house: Partner) -> None:
    user = User.objects.create_user("a-name-that-is-as-long-as-names-can-be@long.example", password=PASSWORD)
    player = player_make(balance=Decimal("12345.67890123"), partner=house, user=user, currency="BTC")
    window.log_in(player)
    page = window.go("/wallet/")
    bar, links = page.locator(".bar-inner"), page.locator(".bar nav")
    balance = page.locator("#balance")
    for width in (1280, 1100, 1140):
        page.set_viewport_size({"width": width, "height": 720})
        expect(balance).to_have_text("12,345.67890123")
        window.await_true(lambda: (bar.bounding_box() or {"height": 100})["height"] < 70)
    expect(links).to_be_hidden()
    page.locator(".menu > summary").click()
    expect(page.locator(".menu").get_by_role("link", name="Live tables")).to_be_visible()

    def is_short_and_links_are_back() -> bool:
        balance.evaluate("(balance) => { balance.textContent = '0.5'; }")  # the page may read the real one meanwhile
        return links.is_visible()

    window.await_true(is_short_and_links_are_back)
    balance.evaluate("(balance) => { balance.textContent = '12,345.67890123'; }")
    expect(links).to_be_hidden()


def test_the_page_of_the_api_violates_no_policy(window: Window, player: Player) -> None:
    page = window.go("/api/")
    expect(page.get_by_text("/api/game/baccarat/bet").first).to_be_visible()


def test_the_page_that_checks_rounds_fits_every_width(window: Window, house: Partner) -> None:
    page = window.go(example_url())
    page.get_by_role("button", name="Deal again").click()
    expect(page.locator("#verify-result playing-card").first).to_be_visible()
    for width in (320, 360, 390, 844, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        over = page.evaluate(
            "() => [...document.querySelectorAll('main *')].filter((each) =>"
            " each.getBoundingClientRect().right > innerWidth + 0.5).map((each) => each.outerHTML.slice(0, 80))"
        )
        assert over == [], width
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_shown_round_is_checked_in_place_by_anybody(
    browser: Browser, shared_server: Server, window: Window, player: Player
) -> None:
    window.log_in(player)
    seeds_choose(player, lambda deal: True)
    window.go("/play/baccarat/")
    window.place("Player")
    window.button("Deal").click()
    window.expect_verdict("returned")
    seeds_rotate(player=player, client_seed="next")
    page = window.go(f"/history/{player.rounds.get().pk}/")
    window.button("Make a link").click()
    path = urlsplit(page.locator("#share-link").inner_text()).path
    with Window.open(browser, shared_server, width=390, height=844) as reader:
        shown = reader.go(path)
        reader.button("Deal it again here").click()
        expect(shown.get_by_text("cards are the ones that you were dealt.")).to_be_visible()
        expect(shown.get_by_text("The server seed is the one that was committed to.")).to_be_visible()
        assert page_faults(shown) == []
        window.button("Withdraw the link").click()
        expect(page.get_by_text("It shows nothing any more.")).to_be_visible()
        reader.expected = ["status of 404"]
        reader.go(path)
        expect(shown.get_by_role("heading", name="Nothing here")).to_be_visible()


def test_the_balance_is_drawn_in_the_colours_of_the_theme_that_was_chosen(window: Window, player: Player) -> None:
    move(player.wallets.get(), Kind.DEPOSIT, "5")
    window.log_in(player)
    page = window.go("/wallet/")
    expect(page.locator(".plot canvas")).to_be_visible()
    expect(page.locator(".plot .u-legend")).to_contain_text("Balance")
    colours = {}
    for theme in ("Dark", "Light"):
        page.get_by_label("Colours").select_option(theme)
        with page.expect_navigation():
            page.locator("form", has=page.get_by_label("Colours")).get_by_role("button").click()
        page.reload()
        expect(page.locator(".plot canvas")).to_be_visible()
        colours[theme] = page.evaluate(
            "[getComputedStyle(document.body).color, document.querySelector('.plot canvas').toDataURL()]"
        )
    assert colours["Dark"][0] == "rgb(243, 239, 228)"
    assert colours["Light"][0] == "rgb(27, 32, 29)"
    assert colours["Dark"][1] != colours["Light"][1]


def test_favourites_of_a_guest_are_kept_by_the_browser_and_taken_along_by_a_sign_up_alone(
    window: Window, player: Player
) -> None:
    guest, client = guest_open(), Client()
    session = client.session
    session[GUEST_KEY] = guest.pk
    session.save()
    client.cookies["sessionid"] = session.session_key
    window.context.add_cookies([{"name": "sessionid", "value": session.session_key, "url": window.server.url}])
    page = window.go("/")
    title = games()[-1].title
    first = page.locator("[data-tile]").first.get_by_role("heading")
    expect(first).not_to_have_text(title)
    window.button(f"Favourite: {title}").click()
    page.reload()
    expect(first).to_have_text(title)
    page.get_by_role("searchbox", name="Search the tables").fill(games()[0].title.upper())
    expect(page.locator("[data-tile]:visible")).to_have_count(1)
    assert not PlayerFavourite.objects.exists()
    window.forget()
    window.log_in(player)  # somebody else's account, which gets nothing of the guest's
    window.go("/")
    star = window.button(f"Favourite: {title}")
    expect(star).to_have_attribute("aria-pressed", "false")
    expect(first).not_to_have_text(title)
    client.post("/accounts/signup/", {"username": "bob", "password1": PASSWORD, "password2": PASSWORD})
    window.forget()
    cookie = client.cookies["sessionid"].value
    window.context.add_cookies([{"name": "sessionid", "value": cookie, "url": window.server.url}])
    window.go("/")
    expect(first).to_have_text(title)
    window.await_true(PlayerFavourite.objects.filter(player=guest).exists)
    assert PlayerFavourite.objects.count() == 1
    expect(star).to_have_attribute("aria-pressed", "true")


def totp(secret: str, now: float) -> str:
    """Return the code of an authenticator (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, struct.pack(">Q", int(now) // 30), "sha1")
    offset = digest[-1] & 15
    return f"{(struct.unpack_from('>I', digest, offset)[0] & 0x7FFFFFFF) % 10**6:06d}"


def test_a_second_factor_is_set_up_and_asked_for(window: Window, player: Player) -> None:
    page = window.go("/accounts/login/")
    page.get_by_label("Username or email").fill("ann")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    window.go("/accounts/2fa/totp/activate/")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    window.button("Confirm").click()
    secret = page.get_by_label("Authenticator secret").input_value()
    page.get_by_label("Authenticator code").fill("none")
    window.button("Activate").click()
    expect(page.get_by_text("Incorrect code.")).to_be_in_viewport()
    expect(page.get_by_label("Authenticator code")).to_be_focused()
    page.get_by_label("Authenticator code").fill(totp(secret, time.time()))
    window.button("Activate").click()
    expect(page.get_by_text("recovery codes").first).to_be_visible()
    window.forget()
    window.go("/accounts/login/")
    page.get_by_label("Username or email").fill("ann")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in", exact=True).click()
    # A code is valid once, so this is the next one; clocks may be thirty seconds off.
    page.get_by_label("Code").fill(totp(secret, time.time() + 30))
    page.locator("main").get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()


def test_forced_colours_show_the_focus_and_the_chosen_chip(window: Window, player: Player) -> None:
    window.log_in(player)
    page = window.go("/play/baccarat/")
    page.emulate_media(forced_colors="active")
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.evaluate("(element) => getComputedStyle(element).outlineStyle") == "solid"
    widths = [
        page.locator(f"[data-part=chips] .chip[aria-checked={checked}]").first.evaluate(
            "(chip) => parseFloat(getComputedStyle(chip).borderTopWidth)"
        )
        for checked in ("true", "false")
    ]
    assert widths[0] > widths[1] > 0
