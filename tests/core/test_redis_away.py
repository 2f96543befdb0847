"""Without Redis: requests that need a log-in get 503 in the error format of their URL, and all others work."""

import pytest
from django.conf import LazySettings
from django.test import Client

from apps.accounts.models import Player
from apps.rounds.registry import games
from tests.support.asgi import ask
from tests.support.baccarat import BET_PATH, seat_make
from tests.support.factories import partner_make, user_make
from tests.support.offers import games_offer

NOWHERE = "redis://127.0.0.1:1/0"


def redis_take_away(settings: LazySettings) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": NOWHERE}}


@pytest.mark.django_db
def test_a_log_in_is_503_without_redis(settings: LazySettings) -> None:
    user = user_make(password="open sesame 99")
    redis_take_away(settings)
    client = Client(raise_request_exception=False)
    answer = client.post("/accounts/login/", {"login": user.username, "password": "open sesame 99"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "Redis does not answer" in answer.content.decode()


@pytest.mark.django_db
def test_a_logged_in_browser_gets_503_without_redis(settings: LazySettings) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(user_make(), backend="django.contrib.auth.backends.ModelBackend")
    redis_take_away(settings)
    assert client.get("/wallet/").status_code == 503


@pytest.mark.django_db
def test_public_pages_work_without_redis(client: Client, settings: LazySettings) -> None:
    redis_take_away(settings)
    assert client.get("/fairness/how/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("is_counted", [True, False])
def test_no_guest_begins_without_redis(settings: LazySettings, is_counted: bool) -> None:
    """The limit of guests by their address is in Redis, and a browser without a session could not use a guest's
    account."""
    games_offer(partner_make(is_house=True))
    redis_take_away(settings)
    if is_counted:
        settings.REDIS_URL = NOWHERE
    answer = Client(raise_request_exception=False).post(f"/play/{games()[0].slug}/session")
    assert answer.status_code == 503
    assert not Player.objects.exists()


def test_a_browser_s_bet_is_placed_without_redis(committed: None, settings: LazySettings) -> None:
    seat = seat_make()
    seat.player.user = user_make()
    seat.player.save()
    client, csrf = Client(), "a" * 32
    client.force_login(seat.player.user, backend="django.contrib.auth.backends.ModelBackend")
    redis_take_away(settings)
    cookies = f"sessionid={client.cookies['sessionid'].value}; csrftoken={csrf}"
    answer = ask("POST", BET_PATH, b'{"game_type": 1, "bet_amount": 10}', {"Cookie": cookies, "X-CSRFToken": csrf})
    assert answer.status == 200
