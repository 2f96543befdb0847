"""Limits invalid session ids and keys: an IP address that sends many is refused before any lookup.

They are counted in this process. A client whose session has expired sends one; a client that sends many is guessing or
broken.
"""

import time
from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse

from apps.core.api import refusal_response
from apps.core.client_address import network_of, request_address
from apps.core.errors import RateLimited
from apps.core.token_buckets import AddressBuckets, Rate

UNAUTHORIZED: Final = 401
SESSION_ID: Final = "game_session_id"
"""The names of a session's id in paths and queries."""


def token_attempt_check(address: str) -> None:
    """Raise RateLimited if too many tokens of the address were invalid."""
    failures = _failures(settings.PUNTO_BAD_TOKENS_PER_S, settings.PUNTO_AHEAD_S)
    wait_s = failures.wait_s(network_of(address), time.monotonic()) if failures else 0
    if wait_s:
        raise RateLimited("too many tokens of your address were not valid", retry_after_s=ceil(wait_s))


def token_attempt_failed(address: str) -> None:
    """Count an invalid token."""
    failures = _failures(settings.PUNTO_BAD_TOKENS_PER_S, settings.PUNTO_AHEAD_S)
    if failures is not None:
        failures.spend(network_of(address), time.monotonic())


class TokenAttemptMiddleware:
    """Checks and counts requests with a key or a session's id in the header, the query or the path."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == UNAUTHORIZED and getattr(request, "punto_brings_token", False):
            token_attempt_failed(request_address(request))
        return response

    def process_view(
        self, request: HttpRequest, _view: Any, _arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> HttpResponse | None:
        """Refuse the request before its view if its address has sent too many invalid tokens."""
        if not (SESSION_ID in named or "HTTP_AUTHORIZATION" in request.META or _has_session_in_query(request)):
            return None
        request.punto_brings_token = True  # type: ignore[attr-defined]
        try:
            token_attempt_check(request_address(request))
        except RateLimited as error:
            return refusal_response(request, error)
        return None


def _has_session_in_query(request: HttpRequest) -> bool:
    try:
        return SESSION_ID in request.GET
    except TooManyFieldsSent:
        return False  # the view cannot read it either, and answers in its own format


@lru_cache(maxsize=2)
def _failures(per_s: float | None, ahead_s: float) -> AddressBuckets | None:
    return None if per_s is None else AddressBuckets(Rate(per_s, ahead_s))
