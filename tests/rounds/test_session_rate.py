"""Rate limits of sessions and launch links: 429 in the error format of the URL."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Role
from apps.rounds.models import GameSession
from tests.support.blackjack import blackjack_offer, session_token
from tests.support.factories import player_make, user_make
from tests.support.partners import Answer, PartnerClient

pytestmark = pytest.mark.django_db
TRIES = 200


@pytest.fixture(autouse=True)
def few(settings: Any) -> None:
    """A low limit, which even a busy machine exceeds."""
    settings.PUNTO_GAME_SESSIONS_PER_S = settings.PUNTO_LAUNCHES_PER_S = 1


def refused(ask: Callable[[], Any]) -> Any:
    """Return the first answer that is 429."""
    for _ in range(TRIES):
        answer = ask()
        if answer.status_code == 429:
            assert int(answer["Retry-After"]) >= 1
            return answer
    raise AssertionError(f"none of {TRIES} was refused")


def test_the_portal_limits_new_sessions_per_second() -> None:
    user = user_make(role=Role.PLAYER)
    player = player_make(user=user)
    client = Client()
    client.force_login(user)
    answer = refused(lambda: client.post("/play/blackjack/session", {"player": player.pk}))
    assert answer.json()["code"] == "RATE_LIMITED"
    assert 1 <= GameSession.objects.filter(player=player).count() < TRIES
    another = player_make(user=user_make(role=Role.PLAYER))
    client.force_login(another.user)
    assert client.post("/play/blackjack/session", {"player": another.pk}).status_code == 200


def test_the_partner_api_limits_new_sessions_of_a_player_per_second(settings: Any) -> None:
    settings.PUNTO_KEY_REQUESTS_PER_S = None
    player = player_make()
    other = player_make(partner=player.partner)
    partner = PartnerClient(player.partner)

    def ask(reference: str) -> Answer:
        body = {"player": reference, "game_id": "og-blackjack", "currency": "FUN"}
        return partner.post("/v1/sessions", body)

    answers = [ask(player.reference) for _ in range(TRIES)]
    refusal = next(answer for answer in answers if answer.status == 429)
    assert (refusal.body["code"], refusal.headers["Content-Type"]) == ("RATE_LIMITED", "application/problem+json")
    assert refusal.body["detail"] == "more than 1 sessions a second for one player"
    assert int(refusal.headers["Retry-After"]) >= 1
    assert ask(other.reference).status == 201


def test_launch_links_are_limited_per_ip_address() -> None:
    player = player_make()
    blackjack_offer(player.partner)
    token = session_token(player)
    answer = refused(lambda: Client().get(f"/launch/?game_session_id={token}", REMOTE_ADDR="203.0.113.77"))
    assert answer.content.startswith(b"Too Many Requests: ")
    assert Client().get(f"/launch/?game_session_id={token}", REMOTE_ADDR="203.0.113.78").status_code == 302
