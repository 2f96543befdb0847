"""The pages of acts that wait for a second person: what an approver reads, and what the pages of their subjects say."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.accounts.services import operator_create
from apps.approvals.details import _WORDS
from apps.approvals.models import Approval
from apps.approvals.services import _ACTS, approval_approve
from apps.core.subjects import subject_of
from apps.wallet.models import Wallet
from tests.approvals.acts import Act, adjustment, asked, browser_with_factor, page, the_acts
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.office_browser import OfficeBrowser

pytestmark = pytest.mark.usefixtures("committed", "two_persons")


def text_of(browser: OfficeBrowser, address: str) -> str:
    """Return a page as it was sent, with its entities as characters."""
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return unescape(answer.content.decode())


def test_every_act_by_two_persons_has_words() -> None:
    assert _ACTS.keys() == _WORDS.keys()


def test_an_approver_reads_who_what_before_after_and_why(anna: User, ben: User) -> None:
    browser = browser_with_factor(ben)
    for act in the_acts(anna):
        approval = asked(act.do, anna)
        for name in ("change", "approve"):
            shown = text_of(browser, reverse(f"admin:approvals_approval_{name}", args=[approval.pk]))
            details, _, _ = shown.partition("Raw data")
            missing = [words for words in [*act.told, "after the approval"] if words not in details]
            assert not missing, (act.name, name)
            assert approval.reason in shown, (act.name, name)
        listed = text_of(browser, reverse("admin:approvals_approval_changelist"))
        assert [words for words in act.told[:2] if words not in listed] == [], act.name
        pages_tell(browser, act, approval, by=anna.username)
        approval_approve(operator=ben, approval=approval, reason="seen", factor_at=timezone.now())
        assert "after the approval" not in text_of(browser, page(approval)), act.name
        for address in act.pages:
            assert f"Approval {approval.pk}<" not in text_of(browser, address), (act.name, address)


def test_the_list_of_requests_reads_no_query_for_each_row(anna: User, ben: User) -> None:
    browser = browser_with_factor(ben)
    page_of_list = reverse("admin:approvals_approval_changelist")

    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            text_of(browser, page_of_list)
        return len(caught)

    asked_for = [asked(act.do, anna) for act in the_acts(anna)]
    queries()  # what a process reads once
    few = queries()
    for each in asked_for * 2:
        each.pk = None
        each.save()
    assert Approval.objects.count() == 3 * len(asked_for)
    assert queries() == few


def pages_tell(browser: OfficeBrowser, act: Act, approval: Approval, *, by: str) -> None:
    """Check that the pages of the act's subject say that it waits, by whom and until when, with a link."""
    note = f"{approval.expires_at:%Y-%m-%d %H:%M}</time> UTC. Asked for by {by}: {approval.reason}."
    for address in act.pages:
        shown = text_of(browser, address)
        assert "this waits for a second operator" in shown, (act.name, address)
        assert f'{note} <a href="{page(approval)}">Approval {approval.pk}</a>' in shown, (act.name, address)


def test_each_person_is_offered_what_they_may_decide(anna: User, ben: User) -> None:
    wallet = player_make(balance=Decimal(5000)).wallets.get()
    approval = asked(adjustment(wallet, anna), anna)
    own, other = browser_with_factor(anna), browser_with_factor(ben)
    auditor = OfficeBrowser()
    auditor.force_login(staff_make(Role.AUDITOR))
    assert offered(own, approval) == ["withdraw"]
    assert offered(other, approval) == ["approve", "reject"]
    assert offered(auditor, approval) == []
    assert "You asked for it, so another operator approves or rejects it." in text_of(own, page(approval))
    assert "Asked for by you" in text_of(own, page(wallet))
    assert own.post(address(approval, "withdraw"), {"reason": "a mistake"}).status_code == 302
    approval.refresh_from_db()
    assert approval.status == "withdrawn"
    assert offered(own, approval) == offered(other, approval) == []
    assert "+1,000.01 FUN" in text_of(other, page(approval))
    assert "6,000.01 FUN" not in text_of(other, page(approval))  # the balance may be another one by now
    assert "waits for a second operator" not in text_of(own, page(approval))


def address(approval: Approval, name: str) -> str:
    """Return the address of a decision."""
    return reverse(f"admin:approvals_approval_{name}", args=[approval.pk])


def offered(browser: OfficeBrowser, approval: Approval) -> list[str]:
    """Return the decisions that the approval's page links to."""
    shown = text_of(browser, page(approval))
    return [name for name in ("approve", "reject", "withdraw") if f'href="{address(approval, name)}"' in shown]


def test_partner_staff_read_that_an_act_waits_without_names_and_reasons(anna: User) -> None:
    partner = partner_make()
    wallet = player_make(balance=Decimal(5000), partner=partner).wallets.get()
    approval = asked(adjustment(wallet, anna), anna)
    browser = OfficeBrowser()
    browser.force_login(staff_make(Role.PARTNER_STAFF, partner=partner))
    shown = text_of(browser, page(wallet))
    assert "Adjust a wallet: this waits for a second operator" in shown
    assert "Asked for by platform staff." in shown
    assert anna.username not in shown
    assert approval.reason not in shown
    assert f"Approval {approval.pk}" not in shown
    asked(lambda: operator_create(operator=anna, username="vera", email="vera@example.test"), anna)
    assert "waits for a second operator" not in text_of(browser, reverse("admin:accounts_user_changelist"))


def asked_yesterday(wallet: Wallet, user: User) -> Approval:
    """Make a request that has expired."""
    now = timezone.now()
    return Approval.objects.create(
        act="wallet.adjust", subject=subject_of(wallet), why="x", reason="a lost deposit", asked_by=user,
        payload={"wallet": wallet.pk, "change": "2000", "currency": "FUN"}, asked_factor_at=now - timedelta(hours=25),
        ctime=now - timedelta(hours=25), expires_at=now - timedelta(hours=1),
    )  # fmt: skip


def test_an_expired_request_is_on_no_page_of_its_subject(anna: User, ben: User) -> None:
    wallet = player_make(balance=Decimal(5000)).wallets.get()
    approval = asked_yesterday(wallet, anna)
    browser = browser_with_factor(ben)
    assert "waits for a second operator" not in text_of(browser, page(wallet))
    shown = text_of(browser, page(approval))
    assert "waits for a second operator" not in shown
    assert "Nothing was done. Whoever still needs it asks again." in shown
    assert offered(browser, approval) == []


def no_form(browser: OfficeBrowser, approval: Approval, name: str) -> str:
    """Return what the page of a decision says in place of its form."""
    shown = text_of(browser, address(approval, name))
    assert 'name="reason"' not in shown, name
    found = re.search(r'<p class="office-note">(.*?)</p>\s*<p class="office-buttons"><a', shown, re.DOTALL)
    assert found is not None, name
    return found[1]


def test_a_decision_that_cannot_be_made_any_more_is_told_of_in_place_of_its_form(anna: User, ben: User) -> None:
    wallet = player_make(balance=Decimal(5000)).wallets.get()
    own, other = browser_with_factor(anna), browser_with_factor(ben)
    approval = asked(adjustment(wallet, anna), anna)
    for name in ("approve", "reject"):
        assert "You have asked for this yourself" in no_form(own, approval, name)
    assert "Another operator has asked for this" in no_form(other, approval, "withdraw")
    forms = {name: other.hidden(address(approval, name)) for name in ("approve", "reject")}
    assert own.post(address(approval, "withdraw"), {"reason": "a mistake"}).status_code == 302
    for name in ("approve", "reject", "withdraw"):
        assert f"This is withdrawn already: by {anna.username}, 20" in no_form(other, approval, name)
    for name, form in forms.items():  # a form that was open meanwhile
        late = Client.post(other, address(approval, name), form | {"reason": "seen"}).content.decode()
        assert "this is withdrawn already" in late
        assert 'name="reason"' not in late
    approval = asked(adjustment(wallet, anna), anna)
    assert other.post(address(approval, "approve"), {"reason": "seen"}).status_code == 302
    assert f"This is approved already: by {ben.username}, 20" in no_form(own, approval, "withdraw")
    expired = asked_yesterday(wallet, anna)
    for name in ("approve", "reject", "withdraw"):
        assert f"nobody decided on it until {expired.expires_at:%Y-%m-%d %H:%M} UTC" in no_form(other, expired, name)


def test_what_a_closed_log_in_has_asked_for_is_rejected_and_never_approved(anna: User, ben: User) -> None:
    wallet = player_make(balance=Decimal(5000)).wallets.get()
    approval, browser = asked(adjustment(wallet, anna), anna), browser_with_factor(ben)
    form = browser.hidden(address(approval, "approve"))
    User.objects.filter(pk=anna.pk).update(is_active=False)
    why = f"{anna.username}, who asked for this, is not an operator with an open log-in any more: reject it"
    assert why in no_form(browser, approval, "approve")
    assert why in Client.post(browser, address(approval, "approve"), form | {"reason": "seen"}).content.decode()
    wallet.refresh_from_db()
    assert wallet.balance == 5000
    assert browser.post(address(approval, "reject"), {"reason": "she has left"}).status_code == 302
