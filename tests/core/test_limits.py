"""Rate limits: counted in Redis for everybody, and never a reason to fail."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from apps.core.errors import RateLimited
from apps.core.limits import limit_check, limit_check_awaited


def allowed(who: str, *, per_s: int | None, tries: int = 200) -> int:
    """Return how many of `tries` calls passed before one was refused; all, if none was."""
    for number in range(tries):
        try:
            limit_check(kind="test", who=who, per_s=per_s)
        except RateLimited:
            return number
    return tries


def test_more_than_the_limit_is_refused_and_others_are_not() -> None:
    who, other = str(uuid4()), str(uuid4())
    assert 3 <= allowed(who, per_s=3) < 200
    limit_check(kind="test", who=other, per_s=3)
    limit_check(kind="another kind", who=who, per_s=3)


def test_without_a_limit_nothing_is_counted() -> None:
    assert allowed(str(uuid4()), per_s=None) == 200


def test_without_redis_nothing_is_refused(settings: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nothing.sock"
    assert allowed(str(uuid4()), per_s=1, tries=5) == 5
    assert "rate_limit_off" in caplog.text


async def allowed_at_once(who: str, *, per_s: int | None, tries: int) -> int:
    """Return how many of `tries` calls of the same moment passed."""
    calls = [limit_check_awaited(kind="test", who=who, per_s=per_s) for _ in range(tries)]
    errors = [error for error in await asyncio.gather(*calls, return_exceptions=True) if error is not None]
    assert {type(error) for error in errors} <= {RateLimited}
    return tries - len(errors)


def test_the_event_loop_counts_with_the_same_counters() -> None:
    who = str(uuid4())
    assert asyncio.run(allowed_at_once(who, per_s=30, tries=40)) == 30
    assert allowed(who, per_s=30, tries=1) == 0


async def test_on_the_event_loop_without_a_limit_or_without_redis_nothing_is_refused(
    settings: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert await allowed_at_once(str(uuid4()), per_s=None, tries=5) == 5
    assert not caplog.text
    settings.REDIS_URL = f"unix://{tmp_path}/nothing.sock"
    assert await allowed_at_once(str(uuid4()), per_s=1, tries=5) == 5
    assert "rate_limit_off" in caplog.text
