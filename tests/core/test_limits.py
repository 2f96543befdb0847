"""Rate limits: counted in Redis for all processes; without Redis nothing is refused."""

from typing import Any
from uuid import uuid4

import pytest

from apps.core.errors import RateLimited
from apps.core.limits import limit_check


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
