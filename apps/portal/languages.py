"""The language and the time zone of players' pages (docs/translating.md).

The account decides, else the cookie of an earlier choice or of a launch link, else the browser. The back
office and the APIs are in English, with times in UTC.
"""

from collections.abc import Callable
from datetime import tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.formats import get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.accounts.models import User
from apps.portal.authentication import LAUNCH_KEY

IN_ENGLISH: Final = ("/admin/", "/v1/", "/api/", "/healthz", "/readyz")
"""Paths of pages that players do not see."""
WITHOUT_COOKIES: Final = "/frame/"
"""Tables in a partner's frame: no cookie decides there. The view chooses the launch's language."""
CAPITAL_NOUNS: Final = ("de",)
"""Languages that write the names of games with capitals within a sentence too."""


class LanguageMiddleware:
    """Shows each page of the portal in its reader's language, with times in the reader's zone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(IN_ENGLISH):
            return self.get_response(request)
        if request.path_info.startswith(WITHOUT_COOKIES):
            with translation.override(_browser_language(request)):
                response = self.get_response(request)
            patch_vary_headers(response, ("Accept-Language",))
            return response
        with translation.override(language_of(request)), timezone.override(_time_zone_of(request)):
            response = self.get_response(request)
            response.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def language_of(request: HttpRequest) -> str:
    """Return the code of the reader's language."""
    account = account_of(request)
    if account is not None and is_language(account.language):
        return account.language
    return translation.get_language_from_request(request)


def title_within(title: str) -> str:
    """Return a game's translated title as it stands within a sentence."""
    return title if translation.get_language() in CAPITAL_NOUNS else title.lower()


def account_of(request: HttpRequest) -> User | None:
    """Return the log-in that the page is shown to. A launch link's player is not the browser's log-in."""
    if request.session.get(LAUNCH_KEY):
        return None
    return request.user if isinstance(request.user, User) else None


def is_language(code: str) -> bool:
    """Return whether the pages have this language."""
    return code in dict(settings.LANGUAGES)


def language_remember(response: HttpResponse, code: str) -> None:
    """Make `code` the browser's language; without a code nothing changes."""
    if is_language(code):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


@cache
def time_zone_names() -> tuple[str, ...]:
    """Return the names of places with a time zone, and UTC.

    Each is known to PostgreSQL too, which counts days in it: its list may be older than this process's.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_timezone_names")
        known = available_timezones() & {name for (name,) in cursor.fetchall()}
    return (*sorted(name for name in known if "/" in name and not name.startswith("Etc/")), "UTC")


def html_attributes(request: HttpRequest, *, has_cookies: bool) -> SafeString:
    """Return the attributes of a page's `html` element, which its scripts read as well.

    An empty time zone is the browser's, which a script tells by a cookie; a page without cookies has no such attribute.
    """
    attributes = format_html(
        'lang="{}" data-decimal="{}" data-group="{}"',
        translation.get_language() or settings.LANGUAGE_CODE,
        get_format("DECIMAL_SEPARATOR"),
        get_format("THOUSAND_SEPARATOR"),
    )
    if not has_cookies:
        return attributes
    account = account_of(request)
    return format_html('{} data-time-zone="{}"', attributes, account.time_zone if account else "")


def _browser_language(request: HttpRequest) -> str:
    """Return the language that the browser asks for, whatever its cookies say."""
    without_cookies = HttpRequest()
    without_cookies.META["HTTP_ACCEPT_LANGUAGE"] = request.headers.get("Accept-Language", "")
    return translation.get_language_from_request(without_cookies)


def _time_zone_of(request: HttpRequest) -> tzinfo:
    """Return the account's time zone, else the one that the browser told, else UTC."""
    account = account_of(request)
    name = (account.time_zone if account else "") or request.COOKIES.get(settings.PUNTO_TIME_ZONE_COOKIE, "")
    return ZoneInfo(name) if name and name in time_zone_names() else ZoneInfo("UTC")
