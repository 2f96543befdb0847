"""Pages in each language at the width of a phone: every text fits into its box."""

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from apps.accounts.models import Player
from apps.accounts.services import user_preferences_set
from apps.rounds.registry import games
from tests.e2e.window import Window

GAME_PAGES = [f"/play/{game.slug}/" for game in games()]
PAGES = [
    "/",
    "/wallet/",
    "/history/",
    "/seeds/",
    "/fairness/",
    "/fairness/how/",
    "/preferences/",
    "/tables/",
    "/nothing/",
]
ACCOUNT_PAGES = ["/accounts/password/change/", "/accounts/email/", "/accounts/2fa/"]
VISITOR_PAGES = ["/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]

OVERFLOWING = """() => {
  const isScrolled = (element) => element.closest("pre, .table-scroll, .road-scroll, .visually-hidden, select, input");
  const found = [...document.querySelectorAll("body *")].filter((element) => {
    if (isScrolled(element) || !element.clientWidth || !element.innerText?.trim()) return false;
    return getComputedStyle(element).display !== "inline" && element.scrollWidth > element.clientWidth + 1;
  });
  const width = document.documentElement.scrollWidth;
  const texts = found.map(({ tagName, className, innerText }) => `${tagName}.${className}: ${innerText.slice(0, 60)}`);
  return width > innerWidth ? [`the page: ${width}`, ...texts] : texts;
}"""
"""Elements whose text is wider than they are. What scrolls by design is left out."""


def overflowing(page: Page) -> list[str]:
    found: list[str] = page.evaluate(OVERFLOWING)
    return [f"{page.url}: {text}" for text in found]


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_no_text_overflows_on_a_phone(phone: Window, player: Player, language: str) -> None:
    phone.expected.append("404")  # the page that is not there
    assert player.user is not None
    user_preferences_set(user=player.user, language=language, time_zone="")
    phone.log_in(player)
    found = []
    for path in [*PAGES, *GAME_PAGES, *ACCOUNT_PAGES]:
        page = phone.go(path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        found += overflowing(page)
    assert found == []


def test_a_table_that_connects_fits_a_narrow_phone_in_each_language(phone: Window, player: Player) -> None:
    assert player.user is not None
    phone.context.route_web_socket("**/*", lambda _: None)  # no answer comes
    phone.log_in(player)
    found = []
    for language, _ in settings.LANGUAGES:
        user_preferences_set(user=player.user, language=language, time_zone="")
        for path in GAME_PAGES:
            page = phone.go(path)
            expect(page.locator("html")).to_have_attribute("lang", language)
            for width in (390, 360):
                page.set_viewport_size({"width": width, "height": 640})
                found += overflowing(page)
    assert found == []


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_no_text_overflows_for_a_visitor(phone: Window, player: Player, language: str) -> None:
    page = phone.go("/fairness/")
    page.locator("#language-choice").select_option(language)
    page.locator(".language-menu button").click()
    expect(page.locator("html")).to_have_attribute("lang", language)
    found = []
    for path in VISITOR_PAGES:
        page = phone.go(path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        found += overflowing(page)
    assert found == []


def test_a_text_that_is_too_wide_is_found(phone: Window) -> None:
    page = phone.go("/fairness/")
    assert overflowing(page) == []
    page.locator("h1").evaluate("heading => heading.textContent = 'Überprüfungsverfahrensbeschreibung'.repeat(3)")
    assert any("Überprüfungsverfahrens" in text for text in overflowing(page))


def test_the_menu_in_the_foot_changes_the_page_and_the_browser_s_numbers(window: Window, player: Player) -> None:
    window.log_in(player)
    window.go("/wallet/")
    window.expect_balance("1,000.00")
    window.page.locator("#language-choice").select_option("de")
    window.page.locator(".language-menu button").click()
    expect(window.page.locator("h1")).to_have_text("Guthaben")
    window.expect_balance("1.000,00")


def test_times_are_in_the_account_s_zone(window: Window, player: Player) -> None:
    assert player.user is not None
    user_preferences_set(user=player.user, language="de", time_zone="Asia/Tokyo")
    window.log_in(player)
    shown = window.go("/wallet/").locator("time[data-local]").first
    written = shown.evaluate(
        """time => new Date(time.dateTime).toLocaleString("de",
            { dateStyle: "medium", timeStyle: "medium", timeZone: "Asia/Tokyo" })"""
    )
    expect(shown).to_have_text(written)
