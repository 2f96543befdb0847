"""Limits that each process counts by itself and adds to the others' through Redis."""

import time
from itertools import count
from typing import Any

import pytest
import redis
from django.conf import settings
from redis.exceptions import RedisError

from apps.core.errors import RateLimited
from apps.core.reconciled_limits import ReconciledLimit

WAIT_S = 30
_owners = count(int(time.time() * 1000))


@pytest.fixture
def owner() -> int:
    """Somebody whom no other test counts."""
    return next(_owners)


def allowed(limit: ReconciledLimit, owner: int, *, tries: int = 100_000) -> int:
    """Return how many of `tries` uses passed before one was refused."""
    for number in range(tries):
        try:
            limit.check(owner)
        except RateLimited:
            return number
    return tries


def test_more_than_the_bucket_holds_is_refused_and_others_are_not(owner: int) -> None:
    limit = ReconciledLimit("test", 20)
    assert 20 <= allowed(limit, owner) < 100_000
    limit = ReconciledLimit("test", 1)
    limit.check(owner)
    with pytest.raises(RateLimited) as refused:
        limit.check(owner)
    assert (refused.value.message, refused.value.retry_after_s) == ("more than 1 requests a second", 1)
    limit.check(next(_owners))


def test_what_one_process_allows_is_charged_to_the_others(owner: int) -> None:
    one, other = ReconciledLimit("test", 20), ReconciledLimit("test", 20)
    for limit in (one, one, other, other):
        limit.check(owner)
    for limit in (one, other, one):  # both know the counter now
        limit.reconcile()
    used = allowed(one, owner)
    assert used >= 15
    one.reconcile()
    other.reconcile()
    assert allowed(other, owner) < used


def test_what_was_used_before_a_process_saw_its_owner_is_not_charged(owner: int) -> None:
    one, other = ReconciledLimit("test", 20), ReconciledLimit("test", 20)
    assert allowed(one, owner) >= 20
    one.reconcile()
    other.check(owner)
    other.check(owner)
    other.reconcile()
    assert allowed(other, owner) >= 18


def test_who_comes_once_between_two_looks_is_not_told_of(owner: int) -> None:
    one, other = ReconciledLimit("test", 20), ReconciledLimit("test", 20)
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


def test_an_owner_who_has_used_nothing_for_long_enough_is_forgotten(owner: int) -> None:
    limit = ReconciledLimit("test", 1000)
    limit.check(owner)
    deadline = time.monotonic() + WAIT_S
    while limit.known:
        limit.reconcile()
        assert time.monotonic() < deadline


def test_a_process_reconciles_by_itself(owner: int) -> None:
    one, other = ReconciledLimit("test", 5), ReconciledLimit("test", 5)
    deadline = time.monotonic() + WAIT_S
    # The other is asked less often than it would allow by itself.
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
    limit = ReconciledLimit(f"kind-{owner}", 20)
    assert 20 <= allowed(limit, owner) < 100_000
    with pytest.raises(RedisError):
        limit.reconcile()
    deadline = time.monotonic() + WAIT_S
    while limit.known:  # and what nobody uses is forgotten all the same
        assert time.monotonic() < deadline
    assert [record.msg["event"] for record in caplog.records if record.msg["kind"] == f"kind-{owner}"] == [
        "rate_limit_not_shared"
    ]
