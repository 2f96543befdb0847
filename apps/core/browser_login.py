"""Identifies the user of a browser's request on the event loop: Django's session and CSRF check, without its
middleware.

Django would read the session and the user in a thread, which costs more than a bet. Here the event loop's pool reads
them from the tables, where a log-out, a new password or a block is written first.
"""

from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.sessions.backends.cached_db import SessionStore
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.crypto import constant_time_compare

from apps.core.errors import AuthenticationFailed, BadRequest, CsrfFailed
from apps.core.postgres_pool import pool

# LIMIT tells the planner that there are few items, as in the stores.
_SESSIONS_LOAD: Final = """
SELECT item.place, session.session_data
  FROM (SELECT * FROM json_array_elements_text($1) WITH ORDINALITY AS item (key, place) LIMIT 8) AS item
  JOIN django_session AS session ON session.session_key = item.key AND session.expire_date > now()
"""
_USERS_LOAD: Final = """
SELECT item.place, account_user.password
  FROM (SELECT * FROM json_array_elements_text($1) WITH ORDINALITY AS item (id, place) LIMIT 8) AS item
  JOIN account_user ON account_user.id = item.id::bigint AND account_user.is_active
"""


async def browser_user_id(scope: dict[str, Any], body: bytes) -> int:
    """Return the id of the user of the browser's session.

    Raises AuthenticationFailed, CsrfFailed, BadRequest (an unknown host), Unavailable.
    """
    request = ASGIRequest(scope, BytesIO(body))
    try:
        request.get_host()
        user_id = await _user_id(request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""))
        if user_id is None:
            raise AuthenticationFailed("log in, or send a game session's token")
        csrf_verify(request)
    except (SuspiciousOperation, MultiPartParserError) as error:
        raise BadRequest("the request cannot be read") from error
    return user_id


async def _user_id(session_key: str) -> int | None:
    """Return the id of the user that Django's `get_user` would return for the session, or None."""
    if not (session_key.isascii() and session_key.isalnum()):
        return None
    stored = await pool().query(_SESSIONS_LOAD, session_key)
    session = {} if stored is None else _sessions.decode(stored[0])
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    user_id = int(session[SESSION_KEY])
    user = await pool().query(_USERS_LOAD, user_id)
    if user is None or not _is_password_of(session, get_user_model()(password=user[0])):
        return None
    return user_id


def _is_password_of(session: dict[str, Any], user: AbstractBaseUser) -> bool:
    """Return whether the user's password is unchanged since the log-in."""
    told = session.get(HASH_SESSION_KEY, "")
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(told, each) for each in hashes)


def csrf_verify(request: HttpRequest) -> None:
    """Raise CsrfFailed if a browser's request has no proof that it came from our page."""
    _csrf_check.process_request(request)
    _csrf_check.process_view(request, _protected, (), {})


def _protected(_request: HttpRequest) -> HttpResponse:
    """Stand in for the view in the check."""
    return HttpResponse()


class _CsrfCheck(CsrfViewMiddleware):
    """Django's check, with a DomainError as its refusal."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002
        raise CsrfFailed(f"reload the page and try again: {reason}")


_csrf_check: Final = _CsrfCheck(_protected)
_sessions: Final = SessionStore()
