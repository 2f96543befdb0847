"""Sessions of browsers do not stay when their time is over."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from apps.accounts import expired_sessions
from apps.accounts.tasks import expired_sessions_delete
from tests.support.factories import partner_make, user_make

pytestmark = pytest.mark.django_db
PASSWORD = "open sesame 99"


def logged_in(*, days_ago: int, expires_in: int) -> str:
    """Log in with a new browser and another log-in, and return the key of the session."""
    browser, user = Client(), user_make(password=PASSWORD)
    browser.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    (entry,) = UserSession.objects.filter(user=user)
    UserSession.objects.filter(pk=entry.pk).update(created_at=timezone.now() - timedelta(days=days_ago))
    expiry = timezone.now() + timedelta(days=expires_in)
    assert Session.objects.filter(pk=entry.session_key).update(expire_date=expiry) == 1
    return entry.session_key


def test_expired_sessions_and_their_entries_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expired_sessions, "_DELETED_AT_ONCE", 2)
    partner_make(is_house=True)
    lasting = logged_in(days_ago=9, expires_in=5)
    for days_ago in (15, 400, 401):
        logged_in(days_ago=days_ago, expires_in=14 - days_ago)
    expired_sessions_delete.delay()
    assert list(Session.objects.values_list("pk", flat=True)) == [lasting]
    assert list(UserSession.objects.values_list("session_key", flat=True)) == [lasting]


def test_the_entry_of_a_log_in_that_is_just_being_made_stays() -> None:
    partner_make(is_house=True)
    Session.objects.filter(pk=logged_in(days_ago=0, expires_in=14)).delete()
    expired_sessions_delete.delay()
    assert UserSession.objects.count() == 1
