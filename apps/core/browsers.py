"""Who a browser's request on the event loop comes from: Django's session and CSRF check, without its middleware."""

from functools import partial
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.cached_db import SessionStore
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import CsrfViewMiddleware

from apps.core.errors import AuthenticationFailed, BadRequest, CsrfFailed
from apps.core.threads import in_thread


async def browser_user_id(scope: dict[str, Any], body: bytes) -> int:
    """Return the id of the user who is logged in where the request comes from.

    Raises AuthenticationFailed, CsrfFailed, BadRequest (a host that is not ours), Unavailable. Django's sessions wait
    for the database and Redis: a thread does that.
    """
    return await in_thread(partial(_user_id, scope, body))


def csrf_verify(request: HttpRequest) -> None:
    """Raise CsrfFailed where a browser's request has no proof that it came from our page."""
    _csrf_check.process_request(request)
    _csrf_check.process_view(request, _protected, (), {})


def _user_id(scope: dict[str, Any], body: bytes) -> int:
    request = ASGIRequest(scope, BytesIO(body))
    try:
        request.get_host()
        request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
        user = get_user(request)
        if user.pk is None:
            raise AuthenticationFailed("log in, or send a game session's token")
        csrf_verify(request)
    except (SuspiciousOperation, MultiPartParserError) as error:
        raise BadRequest("the request cannot be read") from error
    return int(user.pk)


def _protected(_request: HttpRequest) -> HttpResponse:
    """Stand for the view in the check."""
    return HttpResponse()


class _CsrfCheck(CsrfViewMiddleware):
    """Django's check, whose refusal is an error of ours."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002
        raise CsrfFailed(f"reload the page and try again: {reason}")


_csrf_check: Final = _CsrfCheck(_protected)
