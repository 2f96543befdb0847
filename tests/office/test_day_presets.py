"""Ranges of days by one click, on lists that filter by day and on reports."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from apps.core.day_presets import day_presets
from tests.office.conftest import Casino

LogIn = Callable[[str], Client]


@pytest.mark.parametrize(
    ("today", "last_month"),
    [
        (date(2026, 3, 31), (date(2026, 2, 1), date(2026, 2, 28))),
        (date(2026, 1, 1), (date(2025, 12, 1), date(2025, 12, 31))),
    ],
)
def test_a_month_has_its_own_days_and_seven_days_end_today(today: date, last_month: tuple[date, date]) -> None:
    spans = {each.label: (each.first, each.last) for each in day_presets(today)}
    assert spans["Last month"] == last_month
    assert spans["This month"] == (today.replace(day=1), today)
    assert (spans["7 days"][1] - spans["7 days"][0]).days == 6


def test_a_list_keeps_its_other_filters_and_marks_the_days_that_are_shown(log_in: LogIn, ours: Casino) -> None:
    today = datetime.now(UTC).date().isoformat()
    listing = reverse("admin:rounds_round_changelist")
    browser = log_in("operator")
    page = unescape(browser.get(f"{listing}?game=og-baccarat").content.decode())
    link = f"?game=og-baccarat&started_at_from={today}&started_at_to={today}"
    assert f'<a href="{link}">Today</a>' in page
    assert '<a href="?game=og-baccarat" aria-current="true">All days</a>' in page
    page = unescape(browser.get(f"{listing}{link}").content.decode())
    assert f'<a href="{link}" aria-current="true">Today</a>' in page
    assert '<a href="?game=og-baccarat">All days</a>' in page
    # Another filter by days, which links from figures use.
    page = unescape(browser.get(f"{listing}?game=og-baccarat&ended_at_from={today}").content.decode())
    assert '<a href="?game=og-baccarat">All days</a>' in page


@pytest.mark.parametrize("listing", ["rounds_round", "tables_tableround", "wallet_wallettransaction"])
def test_every_list_of_play_and_money_has_its_days_by_one_click(log_in: LogIn, ours: Casino, listing: str) -> None:
    page = log_in("auditor").get(reverse(f"admin:{listing}_changelist")).content.decode()
    assert ">Yesterday</a>" in page
    assert "Export (CSV)" in page


def test_a_list_without_days_has_no_presets_and_a_report_has_them(log_in: LogIn, ours: Casino) -> None:
    today = datetime.now(UTC).date().isoformat()
    browser = log_in("partner_staff")
    assert "office-presets" not in browser.get(reverse("admin:wallet_houseaccount_changelist")).content.decode()
    report = reverse("admin:report", args=["summary"])
    link = f"?zone=UTC&length=range&since={today}&until={today}"
    assert f'<a href="{link}">Today</a>' in unescape(browser.get(report).content.decode())
    answer = browser.get(f"{report}{link}")
    is_marked = f'<a href="{link}" aria-current="true">' in unescape(answer.content.decode())
    assert (answer.status_code, is_marked) == (200, True)
