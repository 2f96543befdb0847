"""Sessions of staff: without the required second factor, idle, or too old, they get no page and no act."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Player, PlayerStatus, User
from apps.office.staff_sessions import BEGAN, SEEN
from tests.office.conftest import Casino
from tests.office.queries import ROLES
from tests.support.factories import user_make

LogIn = Callable[[str], Client]


def pages_of(ours: Casino) -> list[str]:
    """Return a page of each kind: the first one, a list, a row, an act, an export, a report, a replay, a proof."""
    return [
        "/admin/",
        reverse("admin:rounds_round_changelist"),
        reverse("admin:rounds_round_change", args=[ours.record.round_id]),
        reverse("admin:accounts_player_block", args=[ours.player.pk]),
        reverse("admin:rounds_round_export"),
        reverse("admin:report", args=["players"]),
        reverse("admin:replay", args=[ours.record.round_id]),
        reverse("admin:reconcile"),
    ]


def aged(browser: Client, name: str, seconds: int) -> None:
    """Set a time of the browser's session back."""
    session = browser.session
    session[name] -= seconds
    session.save()


@pytest.mark.parametrize("who", ROLES)
def test_without_a_second_factor_every_page_leads_to_its_set_up(
    who: str, log_in: LogIn, ours: Casino, settings: Any
) -> None:
    settings.PUNTO_STAFF_FACTOR = True
    browser = log_in(who)
    for page in pages_of(ours):
        assert browser.get(page)["Location"] == reverse("mfa_activate_totp"), page
    block = reverse("admin:accounts_player_block", args=[ours.player.pk])
    assert Client.post(browser, block, {"reason": "x"})["Location"] == reverse("mfa_activate_totp")
    assert Player.objects.get(pk=ours.player.pk).status == PlayerStatus.ACTIVE
    assert browser.get(reverse("mfa_activate_totp"), follow=True).status_code == 200
    TOTP.activate(User.objects.get(pk=browser.session["_auth_user_id"]), generate_totp_secret())
    assert browser.get("/admin/").status_code == 200


def test_the_recovery_codes_lead_on_to_the_page_that_was_asked_for(log_in: LogIn, ours: Casino, settings: Any) -> None:
    settings.PUNTO_STAFF_FACTOR = True
    browser = log_in("operator")
    codes = reverse("mfa_view_recovery_codes")
    asked = f"{reverse('admin:rounds_round_changelist')}?player__id__exact={ours.player.pk}&p=1"
    assert browser.get(asked)["Location"] == reverse("mfa_activate_totp")
    assert Client.post(browser, reverse("admin:reconcile"))["Location"] == reverse("mfa_activate_totp")
    # An old page in another tab asks this, and nobody reads the answer as a page.
    assert browser.get(reverse("admin:session"))["Location"] == reverse("mfa_activate_totp")
    operator = User.objects.get(pk=browser.session["_auth_user_id"])
    TOTP.activate(operator, generate_totp_secret())
    RecoveryCodes.activate(operator)
    factor_show(browser)
    assert buttons(browser.get(codes)) == {asked.replace("&", "&amp;"): "Back office"}
    player = Client()
    owner = user_make()
    RecoveryCodes.activate(owner)
    player.force_login(owner)
    factor_show(player)
    assert buttons(player.get(codes)) == {reverse("mfa_index"): "Second factor"}


def factor_show(browser: Client) -> None:
    """Note in the session that its owner has just shown a second factor again, as allauth does."""
    session = browser.session
    session["account_authentication_methods_user"] = session["_auth_user_id"]
    shown = {"method": "mfa", "at": time.time(), "type": "totp", "reauthenticated": True}
    session["account_authentication_methods"] = [shown]
    session.save()


def buttons(answer: Any) -> dict[str, str]:
    """Return the labels of the page's main links, by their addresses."""
    found = re.findall(r'<a class="button primary" href="([^"]+)">([^<]+)</a>', answer.content.decode())
    return dict(found)


def test_the_times_of_a_session_begin_with_its_log_in(log_in: LogIn) -> None:
    browser = log_in("operator")
    aged(browser, SEEN, 15 * 60 + 60)
    assert browser.get("/admin/")["Location"].startswith(reverse("account_login"))
    kept = log_in("operator")
    session = kept.session
    del session[BEGAN], session[SEEN]  # a session from before they began so
    session.save()
    assert kept.get("/admin/")["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize(("name", "seconds"), [(SEEN, 15 * 60), (BEGAN, 12 * 3600)])
@pytest.mark.parametrize("who", ROLES)
def test_a_session_that_was_idle_or_is_old_has_to_sign_in_again(
    who: str, name: str, seconds: int, log_in: LogIn, ours: Casino
) -> None:
    light = reverse("admin:search")  # without a word to search for; the dashboard is the slowest page of all
    for page in pages_of(ours):
        browser = log_in(who)
        assert browser.get(light).status_code == 200
        aged(browser, name, seconds - 120)
        assert browser.get(light).status_code == 200
        aged(browser, name, seconds + 60)
        answer = browser.get(page)
        assert answer["Location"].startswith(reverse("account_login")), page
        assert "_auth_user_id" not in browser.session


def test_a_form_that_is_sent_after_the_session_s_end_is_not_saved_and_the_log_in_page_says_so(
    log_in: LogIn, ours: Casino
) -> None:
    browser = log_in("operator")
    block = reverse("admin:accounts_player_block", args=[ours.player.pk])
    assert browser.get(block).status_code == 200
    aged(browser, SEEN, 15 * 60 + 60)
    answers = [Client.post(browser, block, {"reason": "x"}, follow=True)]
    browser = log_in("operator")
    browser.logout()  # in another tab
    answers.append(Client.post(browser, block, {"reason": "x"}, follow=True))
    for answer in answers:
        said = "Your session in the back office is over, and what you sent was not saved: sign in again."
        assert answer.content.decode().count(said) == 1
        assert answer.redirect_chain[-1][0] == f"{reverse('account_login')}?next={block}"
    assert Player.objects.get(pk=ours.player.pk).status == PlayerStatus.ACTIVE
    left = Client.post(browser, reverse("admin:logout"), follow=True)  # a log-out has nothing to save
    assert left.redirect_chain[-1][0].startswith(reverse("account_login"))
    assert "not saved" not in left.content.decode()
