"""Rate limits: counted in Redis for all processes; without Redis nothing is refused."""

from typing import Any
from uuid import uuid4

import pytest

from apps.core.errors import RateLimited
from apps.core.rate_limits import QuotaExceeded, limit_check, quota_take


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


def test_a_quota_says_what_is_left_of_it() -> None:
    who = str(uuid4())
    left = [quota_take(kind="test", who=who, most=3, window_s=60) for _ in range(3)]
    assert [quota.remaining for quota in left if quota] == [2, 1, 0]
    with pytest.raises(QuotaExceeded) as caught:
        quota_take(kind="test", who=who, most=3, window_s=60)
    assert 50 < caught.value.retry_after_s <= 60
    assert caught.value.code == "RATE_LIMITED"
    headers = caught.value.quota.headers()
    assert headers["RateLimit-Policy"] == '"test";q=3;w=60'
    assert headers["RateLimit"] == f'"test";r=0;t={caught.value.retry_after_s}'


def test_a_quota_without_a_limit_or_without_redis_is_none(settings: Any, tmp_path: Any) -> None:
    assert quota_take(kind="test", who="x", most=None, window_s=60) is None
    settings.REDIS_URL = f"unix://{tmp_path}/nothing.sock"
    assert quota_take(kind="test", who="x", most=1, window_s=60) is None
