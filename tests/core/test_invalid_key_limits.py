"""Guesses: an IP address with too many invalid tokens is refused before any lookup."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.core import invalid_key_limits
from apps.partners.models import Scope
from apps.partners.services import api_key_create
from tests.support.factories import partner_make

pytestmark = pytest.mark.django_db

AHEAD = 3


@pytest.fixture(autouse=True)
def few(settings: LazySettings) -> Iterator[None]:
    """A budget that hardly refills during a test."""
    settings.PUNTO_BAD_TOKENS_PER_S, settings.PUNTO_AHEAD_S = AHEAD / 1000, 1000
    yield
    invalid_key_limits._failures.cache_clear()


def ask(path: str, *, address: str, key: str = "", method: str = "get", **members: Any) -> Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return getattr(Client(), method)(path, headers=headers, REMOTE_ADDR=address, **members)


@pytest.mark.parametrize(
    ("path", "key", "method", "form"),
    [
        ("/v1/rounds", "punto_no_such_key", "get", {"type", "title", "status", "detail", "code"}),
        ("/api/game/baccarat_config", "punto_no_such_key", "get", {"code", "message"}),
        ("/v1/player/balance?game_id=og-blackjack&game_session_id=x", "", "get", {"type", "message", "code"}),
        ("/v1/player/seeds/x", "", "get", {"type", "message", "code"}),
        ("/v1/games/og-blackjack/verify/x", "", "post", {"type", "message", "code"}),
    ],
)
def test_guesses_are_counted_by_ip_address_and_refused_in_the_error_format_of_the_url(
    path: str, key: str, method: str, form: set[str]
) -> None:
    statuses = [ask(path, address="203.0.113.5", key=key, method=method).status_code for _ in range(AHEAD)]
    assert statuses == [401] * AHEAD
    with CaptureQueriesContext(connection) as queries:
        refused = ask(path, address="203.0.113.5", key=key, method=method)
    assert not queries
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) >= 1
    assert (set(refused.json()), refused.json()["code"]) == (form, "RATE_LIMITED")
    assert ask(path, address="203.0.113.6", key=key, method=method).status_code == 401


def test_an_invalid_launch_link_is_a_guess() -> None:
    for _ in range(AHEAD):
        assert ask("/launch/?game_session_id=x", address="203.0.113.7").status_code == 401
    refused = ask("/launch/?game_session_id=x", address="203.0.113.7")
    assert (refused.status_code, refused["Content-Type"]) == (429, "text/plain; charset=utf-8")


def test_valid_tokens_are_not_counted_and_pages_without_a_token_are_not_refused() -> None:
    _, key = api_key_create(partner=partner_make(), name="k", scopes=[Scope.READ], actor="test")
    for _ in range(3 * AHEAD):
        assert ask("/v1/rounds", address="203.0.113.8", key=key).status_code == 200
    for _ in range(AHEAD):
        assert ask("/v1/rounds", address="203.0.113.8", key="wrong").status_code == 401
    assert ask("/v1/rounds", address="203.0.113.8", key=key).status_code == 429
    assert ask("/v1/rounds", address="203.0.113.8").status_code == 401  # a request without a key needs no lookup
    assert ask("/fairness/", address="203.0.113.8").status_code == 200


def test_a_forged_forwarded_header_does_not_reset_the_count(settings: LazySettings) -> None:
    def status(forwarded: str) -> int:
        headers = {"Authorization": "Bearer wrong", "X-Forwarded-For": forwarded}
        return int(Client().get("/v1/rounds", headers=headers, REMOTE_ADDR="10.0.0.2").status_code)

    settings.PUNTO_PROXIES = 1
    assert [status(f"192.0.2.{number}, 203.0.113.9") for number in range(AHEAD + 1)] == [401] * AHEAD + [429]
    assert status("203.0.113.10") == 401
