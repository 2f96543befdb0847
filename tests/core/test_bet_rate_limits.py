"""Limits that each process counts by itself and reconciles through Redis."""

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
import redis
from django.conf import settings
from redis.exceptions import RedisError

from apps.core.bet_rate_limits import ReconciledLimit
from apps.core.errors import RateLimited
from casino.settings.waits import WAIT_S

_owners = count(int(time.time() * 1000))
_made: list[ReconciledLimit] = []


@pytest.fixture
def owner() -> int:
    """A name that no other test counts."""
    return next(_owners)


def limit_make(kind: str, per_s: int) -> ReconciledLimit:
    """Return a limit that reconciles until the end of the test."""
    limit = ReconciledLimit(kind, per_s)
    _made.append(limit)
    return limit


@pytest.fixture(autouse=True)
def no_limit_reconciles_later() -> Iterator[None]:
    """Let the limits forget their owners: their threads would connect to the Redis of later tests."""
    yield
    for limit in _made:
        limit._usages.clear()
    _made.clear()


def allowed(limit: ReconciledLimit, owner: int, *, tries: int = 100_000) -> int:
    """Return how many of `tries` uses passed before one was refused."""
    for number in range(tries):
        try:
            limit.check(owner)
        except RateLimited:
            return number
    return tries


def test_more_than_the_bucket_holds_is_refused_and_others_are_not(owner: int) -> None:
    limit = limit_make("test", 20)
    assert 20 <= allowed(limit, owner) < 100_000
    limit = limit_make("test", 1)
    limit.check(owner)
    with pytest.raises(RateLimited) as refused:
        limit.check(owner)
    assert (refused.value.message, refused.value.retry_after_s) == ("more than 1 requests a second", 1)
    limit.check(next(_owners))


def test_uses_in_one_process_are_charged_in_the_others(owner: int) -> None:
    one, other = limit_make("test", 20), limit_make("test", 20)
    for limit in (one, one, other, other):
        limit.check(owner)
    for limit in (one, other, one):  # both processes know the counter now
        limit.reconcile()
    used = allowed(one, owner)
    assert used >= 15
    one.reconcile()
    other.reconcile()
    assert allowed(other, owner) < used


def test_uses_before_a_process_first_saw_the_owner_are_not_charged(owner: int) -> None:
    one, other = limit_make("test", 20), limit_make("test", 20)
    assert allowed(one, owner) >= 20
    one.reconcile()
    other.check(owner)
    other.check(owner)
    other.reconcile()
    assert allowed(other, owner) >= 18


def test_a_single_use_between_two_reconciliations_is_not_sent(owner: int) -> None:
    one, other = limit_make("test", 20), limit_make("test", 20)
    for limit in (other, other):
        limit.check(owner)
    other.reconcile()
    one.check(owner)
    one.reconcile()
    assert _total(owner) == 2
    one.check(owner)
    one.reconcile()
    assert _total(owner) == 4


def _total(owner: int) -> int:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        return int(client.get(f"{settings.PUNTO_REDIS_PREFIX}:limit:test:{owner}") or 0)


def test_an_owner_without_uses_is_forgotten(owner: int) -> None:
    limit = limit_make("test", 1000)
    limit.check(owner)
    deadline = time.monotonic() + WAIT_S
    while limit._usages:
        limit.reconcile()
        assert time.monotonic() < deadline


def test_a_process_reconciles_automatically(owner: int) -> None:
    one, other = limit_make("test", 5), limit_make("test", 5)
    deadline = time.monotonic() + WAIT_S
    # The other process gets fewer uses than its own bucket allows.
    while True:
        allowed(one, owner)
        try:
            other.check(owner)
        except RateLimited:
            return
        assert time.monotonic() < deadline
        allowed(one, owner)


def test_without_redis_the_limit_holds_in_the_process(
    settings: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture, owner: int
) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nothing.sock"
    limit = limit_make(f"kind-{owner}", 20)
    assert 20 <= allowed(limit, owner) < 100_000
    with pytest.raises(RedisError):
        limit.reconcile()
    deadline = time.monotonic() + WAIT_S
    while limit._usages:  # unused owners are forgotten without Redis too
        assert time.monotonic() < deadline
    told = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    assert [each["event"] for each in told if each.get("kind") == f"kind-{owner}"] == ["rate_limit_not_shared"]
