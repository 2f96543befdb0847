"""While Redis is away: what needs a log-in answers "later", in the form of its address; the rest goes on."""

import pytest
from django.conf import LazySettings
from django.test import Client

from tests.support.asgi import ask
from tests.support.factories import user_make

NOWHERE = "redis://127.0.0.1:1/0"


def redis_take_away(settings: LazySettings) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": NOWHERE}}


@pytest.mark.django_db
def test_a_log_in_is_asked_to_come_back(settings: LazySettings) -> None:
    user = user_make(password="open sesame 99")
    redis_take_away(settings)
    client = Client(raise_request_exception=False)
    answer = client.post("/accounts/login/", {"login": user.username, "password": "open sesame 99"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "Redis does not answer" in answer.content.decode()


@pytest.mark.django_db
def test_a_browser_that_is_logged_in_is_asked_to_come_back(settings: LazySettings) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(user_make(), backend="django.contrib.auth.backends.ModelBackend")
    redis_take_away(settings)
    assert client.get("/wallet/").status_code == 503


@pytest.mark.django_db
def test_public_pages_go_on(client: Client, settings: LazySettings) -> None:
    redis_take_away(settings)
    assert client.get("/fairness/how/").status_code == 200


def test_a_browser_s_bet_is_asked_to_come_back(committed: None, settings: LazySettings) -> None:
    client = Client()
    client.force_login(user_make(), backend="django.contrib.auth.backends.ModelBackend")
    redis_take_away(settings)
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    answer = ask("POST", "/api/game/baccarat/bet", b"{}", {"Cookie": cookie})
    assert (answer.status, answer.body["code"]) == (503, "SERVICE_UNAVAILABLE")
