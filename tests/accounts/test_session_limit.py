"""A log-in has a limited number of sessions: a new one ends the oldest."""

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts import session_limit
from apps.accounts.models import User
from tests.support.factories import partner_make, user_make

pytestmark = pytest.mark.django_db
PASSWORD = "open sesame 99"


def logged_in(user: User) -> Client:
    browser = Client()
    browser.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    return browser


def is_logged_in(browser: Client) -> bool:
    return browser.get("/accounts/sessions/").status_code == 200


def test_a_log_in_ends_the_oldest_sessions_of_its_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    partner_make(is_house=True)
    monkeypatch.setattr(session_limit, "MAX_SESSIONS", 3)
    ann, ben = user_make(password=PASSWORD), user_make(password=PASSWORD)
    of_ben = logged_in(ben)
    browsers = [logged_in(ann) for _ in range(5)]
    assert [is_logged_in(browser) for browser in browsers] == [False, False, True, True, True]
    assert is_logged_in(of_ben)
    assert UserSession.objects.filter(user=ann).count() == 3
    assert Session.objects.count() == 4


def test_a_log_in_reads_no_more_for_more_sessions_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    partner_make(is_house=True)
    monkeypatch.setattr(session_limit, "MAX_SESSIONS", 2)
    ann = user_make(password=PASSWORD)
    counts = []
    for _ in range(6):
        with CaptureQueriesContext(connection) as queries:
            logged_in(ann)
        counts.append(len(queries))
    assert len(set(counts[2:])) == 1
