"""While Redis is away: what needs a log-in answers "later", in the form of its address; the rest goes on."""

import pytest
from django.conf import LazySettings
from django.test import Client

from tests.support.factories import user_make

pytestmark = pytest.mark.django_db

NOWHERE = "redis://127.0.0.1:1/0"


def redis_take_away(settings: LazySettings) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": NOWHERE}}


def test_a_log_in_is_asked_to_come_back(settings: LazySettings) -> None:
    user = user_make(password="open sesame 99")
    redis_take_away(settings)
    client = Client(raise_request_exception=False)
    answer = client.post("/accounts/login/", {"login": user.username, "password": "open sesame 99"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "Redis does not answer" in answer.content.decode()


def test_a_browser_that_is_logged_in_is_asked_to_come_back(settings: LazySettings) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(user_make(), backend="django.contrib.auth.backends.ModelBackend")
    redis_take_away(settings)
    assert client.get("/wallet/").status_code == 503
    answer = client.post("/api/game/baccarat/bet", {"game_type": 1}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (503, "SERVICE_UNAVAILABLE")


def test_public_pages_go_on(client: Client, settings: LazySettings) -> None:
    redis_take_away(settings)
    assert client.get("/fairness/how/").status_code == 200
