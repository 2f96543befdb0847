"""The limit on a connection's frames, with a clock of the test."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from apps.core import message_rate_limit
from apps.core.message_rate_limit import MAX_LIMITED_S, MessageRateLimit


@pytest.fixture
def frames(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[MessageRateLimit, float, int], int]:
    """Count frames in a second, and return how many of them were beyond the limit of three."""
    settings.PUNTO_FRAMES_PER_S = 3

    def count(limit: MessageRateLimit, now: float, frames: int) -> int:
        monkeypatch.setattr(message_rate_limit, "time", SimpleNamespace(monotonic=lambda: now))
        return sum(limit.is_over() for _ in range(frames))

    return count


def test_a_connection_above_the_limit_is_told_once_a_second_and_is_a_flood_after_ten_seconds(
    frames: Callable[[MessageRateLimit, float, int], int],
) -> None:
    limit = MessageRateLimit()
    assert frames(limit, 100, 3) == 0
    for second in range(MAX_LIMITED_S):
        assert frames(limit, 101 + second, 5) == 2
        assert (limit.is_report_due(), limit.is_report_due()) == (True, False)
        assert not limit.is_flood
    assert frames(limit, 101 + MAX_LIMITED_S, 5) == 2
    assert limit.is_flood


@pytest.mark.parametrize("later_s", [1, 2], ids=["a-second-within-the-limit", "a-second-without-frames"])
def test_a_second_below_the_limit_begins_the_ten_anew(
    frames: Callable[[MessageRateLimit, float, int], int], later_s: int
) -> None:
    limit = MessageRateLimit()
    for second in range(MAX_LIMITED_S):
        frames(limit, 100 + second, 5)
    frames(limit, 99 + MAX_LIMITED_S + later_s, 3 if later_s == 1 else 5)
    frames(limit, 100 + MAX_LIMITED_S + later_s, 5)
    assert not limit.is_flood


def test_without_a_limit_no_frame_is_beyond_it(settings: Any) -> None:
    settings.PUNTO_FRAMES_PER_S = None
    assert not MessageRateLimit().is_over()
