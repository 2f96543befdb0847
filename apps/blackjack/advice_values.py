"""Charts and exact values of decisions: kept in Redis by fingerprint, and computed by the worker, never by a web
process.

The queue is bounded: while `MAX_WAITING` computations wait, more are refused.
"""

import time
from functools import lru_cache
from typing import Any, Final

import redis
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from apps.blackjack.decisions import Decision, values_computed
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.edge import VERSION, edge_compute, edge_known
from apps.core.errors import Unavailable
from apps.core.redis_pools import redis_pool

KEPT_S: Final = 30 * 24 * 3600
MAX_WAITING: Final = 50
ASKED_S: Final = 60
"""Seconds after which a computation counts as lost with its worker, and may be requested again."""


def values_find(decision: Decision) -> dict[str, float] | None:
    """Return the expected winnings of each move, or None after the worker was asked for them. Raises Unavailable."""
    key = f"blackjack-values:{decision.fingerprint()}"
    return _find(key, "apps.blackjack.tasks.advice_values_compute", decision.rules.to_json(), decision.facts())


def chart_find(rules: BlackjackRules) -> Chart | None:
    """Return the chart of the rules, or None after the worker was asked for it. Raises Unavailable."""
    known = edge_known(rules)
    if known is not None:
        return known.chart
    key = f"blackjack-chart:{VERSION}:{rules.fingerprint()}"
    found = _find(key, "apps.blackjack.tasks.advice_chart_compute", rules.to_json())
    return None if found is None else Chart.from_json(found)


def values_keep(key: str, rules: dict[str, Any], facts: dict[str, Any]) -> None:
    """Compute the values of a decision, a fraction of a second of one core, and keep them."""
    _keep(key, values_computed(BlackjackRules.from_json(rules), facts))


def chart_keep(key: str, rules: dict[str, Any]) -> None:
    """Compute the chart of rules, seconds of one core, and keep it."""
    _keep(key, edge_compute(BlackjackRules.from_json(rules)).chart.to_json())


def _find(key: str, task: str, *arguments: object) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] | None = cache.get(key)
        if found is None and _wait_begin(key):
            # By name, since the module of the tasks imports this one. What nobody waits for any more must not keep a
            # worker that begins after a pause from all other tasks.
            current_app.tasks[task].apply_async((key, *arguments), expires=ASKED_S)
            found = cache.get(key)
    except (RedisError, OperationalError) as error:
        raise Unavailable("the exact values are not available now") from error
    return found


def _keep(key: str, content: object) -> None:
    cache.set(key, content, KEPT_S)
    _redis(settings.REDIS_URL).zrem(_waiting_key(), key)


def _wait_begin(key: str) -> bool:
    """Note that the computation waits; return False if it did already. Raises Unavailable if too many wait."""
    client, now = _redis(settings.REDIS_URL), time.time()
    with client.pipeline() as pipe:
        pipe.zremrangebyscore(_waiting_key(), 0, now - ASKED_S)
        pipe.zcard(_waiting_key())
        pipe.zscore(_waiting_key(), key)
        _, count, asked_at = pipe.execute()
    if asked_at is not None:
        return False
    if count >= MAX_WAITING:
        raise Unavailable("too many hands wait to be computed; try again in a moment")
    return bool(client.zadd(_waiting_key(), {key: now}, nx=True))


def _waiting_key() -> str:
    return f"{settings.PUNTO_REDIS_PREFIX}:blackjack-advice"


@lru_cache(maxsize=2)
def _redis(redis_url: str) -> "redis.Redis":
    return redis.Redis(connection_pool=redis_pool(redis_url))
