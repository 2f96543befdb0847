"""The user of a browser: the event loop reads every session as Django's own `get_user` does."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.core.browser_login import browser_user_id
from apps.core.errors import AuthenticationFailed
from tests.support.factories import user_make
from tests.support.loop import run

pytestmark = pytest.mark.usefixtures("committed")

CSRF = "a" * 32


@dataclass
class Browser:
    """A browser that a user logged in with, and the key of the session that it sends."""

    user: User
    client: Client
    session_key: str

    def user_id(self) -> int | None:
        """Return the id of the browser's user by the event loop's code, or None."""
        headers = {
            b"host": b"testserver",
            b"cookie": f"sessionid={self.session_key}; csrftoken={CSRF}".encode("latin-1"),
            b"x-csrftoken": CSRF.encode(),
        }
        scope = {"type": "http", "method": "POST", "path": "/", "scheme": "http", "headers": list(headers.items())}
        try:
            return run(browser_user_id(scope, b""))
        except AuthenticationFailed:
            return None

    def user_id_by_django(self) -> int | None:
        """Return the id of the browser's user by Django's code. Call this last, since Django deletes an invalid
        session."""
        request = HttpRequest()
        request.session = SessionStore(self.session_key)
        return get_user(request).pk


@pytest.fixture
def browser() -> Browser:
    user, client = user_make(), Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return Browser(user, client, client.cookies["sessionid"].value)


def test_a_browser_that_is_logged_in_is_its_user_s(browser: Browser) -> None:
    assert browser.user_id() == browser.user.pk
    assert browser.user_id_by_django() == browser.user.pk


def test_a_log_in_outlives_the_key_that_it_was_signed_with(browser: Browser, settings: LazySettings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
    assert browser.user_id() == browser.user.pk
    assert browser.user_id_by_django() == browser.user.pk


def log_out(browser: Browser) -> None:
    browser.client.logout()


def block(browser: Browser) -> None:
    User.objects.filter(pk=browser.user.pk).update(is_active=False)


def password_change(browser: Browser) -> None:
    browser.user.set_password("another word 77")
    browser.user.save()


def expire(browser: Browser) -> None:
    Session.objects.filter(pk=browser.session_key).update(expire_date=timezone.now() - timedelta(seconds=1))


def alter(browser: Browser) -> None:
    """Sign the session with a key that is not ours."""
    row = Session.objects.get(pk=browser.session_key)
    row.session_data = row.session_data[:-1] + ("A" if row.session_data[-1] != "A" else "B")
    row.save()


def user_leave_out(browser: Browser) -> None:
    """Store a session without a user, like that of a visitor who has never logged in."""
    session = SessionStore(browser.session_key)
    session.clear()
    session["seen"] = True
    session.save()


def backend_remove(browser: Browser) -> None:
    session = SessionStore(browser.session_key)
    session["_auth_user_backend"] = "apps.gone.Backend"
    session.save()


def hash_remove(browser: Browser) -> None:
    session = SessionStore(browser.session_key)
    del session["_auth_user_hash"]
    session.save()


@pytest.mark.parametrize(
    "spoil",
    [log_out, block, password_change, expire, alter, user_leave_out, backend_remove, hash_remove],
)
def test_a_browser_whose_log_in_does_not_hold_is_nobody_s(browser: Browser, spoil: Callable[[Browser], None]) -> None:
    assert browser.user_id() == browser.user.pk
    spoil(browser)
    assert browser.user_id() is None
    assert browser.user_id_by_django() is None


@pytest.mark.parametrize("key", ["", "x", "no-such-session", "\u00e9" * 32, "a" * 5000, "%00" * 8, "0" * 32])
def test_a_session_s_key_that_is_none_is_nobody_s(browser: Browser, key: str) -> None:
    browser.session_key = key
    assert browser.user_id() is None
