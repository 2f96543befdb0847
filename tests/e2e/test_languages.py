"""Pages at the width of a phone: every text fits into its box. `test_layout.py` checks the tables.

`make test` reads them in German, whose words are the longest, and a visitor's also in Japanese, whose script differs;
`make soak` in every language.
"""

import pytest
from django.conf import settings
from playwright.sync_api import expect

from apps.accounts.models import Player
from apps.accounts.services import user_preferences_set
from tests.e2e.layouts import overflowing
from tests.e2e.window import Window, panel_open
from tests.support.long_form import IS_LONG

LANGUAGES = [code for code, _ in settings.LANGUAGES] if IS_LONG else ["de"]
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
FILTERED_PAGES = {"/wallet/", "/history/"}
ACCOUNT_PAGES = ["/accounts/password/change/", "/accounts/email/", "/accounts/2fa/"]
SCROLLED_TABLES = """() => [...document.querySelectorAll("main .table-scroll")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.getAttribute("aria-label"))"""
"""A player should not have to scroll to see an amount."""
VISITOR_PAGES = ["/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]


def test_no_text_overflows_on_a_phone(phone: Window, player: Player) -> None:
    phone.expected.append("404")  # the page of an unknown address
    assert player.user is not None
    phone.log_in(player)
    found = []
    for language in LANGUAGES:
        user_preferences_set(user=player.user, language=language, time_zone="")
        for path in [*PAGES, *ACCOUNT_PAGES]:
            page = phone.go(path)
            expect(page.locator("html")).to_have_attribute("lang", language)
            if path in FILTERED_PAGES:
                panel_open(page.locator(".filter-panel"))
            found += overflowing(page) + page.evaluate(SCROLLED_TABLES)
    assert found == []


@pytest.mark.soak
def test_no_text_overflows_for_a_visitor(phone: Window, player: Player) -> None:
    found = []
    for language in LANGUAGES:
        page = phone.go("/fairness/")
        page.locator("#language-choice").select_option(language)
        page.locator(".language-menu button").click()
        expect(page.locator("html")).to_have_attribute("lang", language)
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
    day = window.page.locator(".days time").first
    expect(day).to_have_text(".".join(reversed((day.get_attribute("datetime") or "").split("-"))))
    # English differs by country, and the browser knows which.
    user_preferences_set(user=player.user, language="en", time_zone="Asia/Tokyo")
    window.page.reload()
    expect(day).to_have_text(
        day.evaluate(
            "day => new Date(day.dateTime).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })"
        )
    )
