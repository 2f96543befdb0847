"""Advice on a player's rounds: the worker computes it from visible cards alone. It is stored and limited."""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from celery import current_app
from celery.signals import before_task_publish
from django.conf import settings as django_settings
from django.core.cache import cache
from django.test import Client

from apps.accounts.models import Player
from apps.blackjack import advice_values
from apps.blackjack.decisions import decision_now
from apps.blackjack.engine.codec import from_json
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.mathematics.hint import decision_values
from apps.blackjack.store import state_read
from apps.blackjack.tasks import advice_values_compute
from tests.support.played import act, baccarat_session, blackjack_session, played_out

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    cache.clear()
    waiting_clear()
    yield
    waiting_clear()


@pytest.fixture
def worker_away() -> Iterator[None]:
    """Tasks wait in the queue."""
    current_app.conf.task_always_eager = False
    yield
    current_app.conf.task_always_eager = True


def waiting_clear() -> None:
    redis.Redis.from_url(django_settings.REDIS_URL).delete(f"{django_settings.PUNTO_REDIS_PREFIX}:blackjack-advice")


def advice(client: Client, player: Player, token: str, *, exact: str = "1") -> tuple[int, dict[str, Any]]:
    played = player.rounds.order_by("-started_at")[0]
    answer = client.get(f"/history/{played.pk}/advice?exact={exact}", headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.json()


def test_the_open_hand_gets_the_chart_s_move_and_on_request_the_exact_values(client: Client) -> None:
    player, token = blackjack_session(values=(10, 10, 6, 7))
    act(token, "Bet", betAmount=10)
    _, hint = advice(client, player, token, exact="0")
    assert [each["basicStrategy"] for each in hint["decisions"]] == ["Surrender"]
    assert hint["decisions"][0]["values"] is None
    status, found = advice(client, player, token)
    decision = found["decisions"][0]
    exact = decision_values(SOLO_RULES, (10, 6), 10)
    assert status == 200
    assert decision["values"] == {move.name.capitalize(): f"{value:.6f}" for move, value in exact.items()}
    assert (decision["best"], decision["taken"]) == ("Surrender", None)
    assert len(decision["cards"]) == 2
    assert set(decision) == {"hand", "cards", "upcard", "moves", "taken", "basicStrategy", "best", "values"}


def test_after_the_round_each_decision_is_compared_with_the_best_play(client: Client) -> None:
    player, token = blackjack_session(values=(10, 10, 6, 7))
    played_out(token, "Stand")
    _, found = advice(client, player, token)
    assert [(each["taken"], each["best"]) for each in found["decisions"]] == [("Stand", "Surrender")]
    assert not found["isOpen"]


def test_a_web_process_computes_nothing_and_asks_the_worker_once(client: Client, worker_away: None) -> None:
    player, token = blackjack_session(values=(10, 10, 6, 7))
    act(token, "Bet", betAmount=10)
    expiries: list[datetime] = []

    def sent(headers: Mapping[str, Any], **_: Any) -> None:
        expiries.append(datetime.fromisoformat(headers["expires"]))

    before_task_publish.connect(sent)
    try:
        status, waiting = advice(client, player, token)
        assert (status, waiting["isReady"], waiting["decisions"][0]["values"]) == (202, False, None)
        assert advice(client, player, token)[0] == 202
    finally:
        before_task_publish.disconnect(sent)
    (expires,) = expiries  # when it may be asked for again: after a pause of the worker there is no queue of them
    assert expires <= datetime.now(UTC) + timedelta(seconds=advice_values.ASKED_S)
    played = player.rounds.select_related("blackjack").get()
    decision = decision_now(
        state_read(played.blackjack.state, from_json(RoundSetup, played.settlement_terms)), funds=None
    )
    assert decision is not None
    key = f"blackjack-values:{decision.fingerprint()}"
    advice_values_compute(key, decision.rules.to_json(), decision.facts())  # as the worker does
    status, found = advice(client, player, token)
    assert (status, found["decisions"][0]["best"]) == (200, "Surrender")


def test_while_too_many_computations_wait_more_are_refused(client: Client, settings: Any) -> None:
    player, token = blackjack_session(values=(10, 10, 6, 7))
    act(token, "Bet", betAmount=10)
    queue = f"{settings.PUNTO_REDIS_PREFIX}:blackjack-advice"
    client_of_redis = redis.Redis.from_url(settings.REDIS_URL)
    client_of_redis.zadd(queue, {f"other-{n}": time.time() for n in range(advice_values.MAX_WAITING)})
    status, body = advice(client, player, token)
    assert (status, body["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert advice(client, player, token, exact="0")[0] == 200
    # A computation that was lost with its worker does not count for ever.
    client_of_redis.zadd(queue, {f"other-{n}": time.time() - 61 for n in range(advice_values.MAX_WAITING)})
    assert advice(client, player, token)[0] == 200


def test_a_player_asks_no_more_often_than_the_limit(client: Client, settings: Any) -> None:
    settings.PUNTO_ADVICE_PER_S = 1
    player, token = blackjack_session(values=(10, 10, 6, 7))
    act(token, "Bet", betAmount=10)
    answers = [advice(client, player, token, exact="0") for _ in range(10)]
    assert answers[0][0] == 200
    assert {status for status, _ in answers} == {200, 429}
    assert {body["code"] for status, body in answers if status == 429} == {"RATE_LIMITED"}


@pytest.mark.parametrize("exact", ["2", "", "yes", "-1"])
def test_a_flag_that_is_none_is_refused(client: Client, exact: str) -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    status, body = advice(client, player, token, exact=exact)
    assert (status, body["code"]) == (422, "BAD_REQUEST_PARAMS")


def test_a_game_without_decisions_has_no_advice(client: Client) -> None:
    player, token = baccarat_session()
    status, body = advice(client, player, token)
    assert (status, body["code"]) == (404, "NOT_FOUND")
