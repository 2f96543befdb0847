"""The frames that a socket of blackjack may send in a second, with a clock of the test."""

import time

import pytest
from django.conf import LazySettings

from apps.blackjack.consumers import FrameCount
from apps.core.errors import RateLimited


def test_a_socket_has_so_many_frames_in_each_second(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PUNTO_FRAMES_PER_S = 3
    frames = FrameCount()
    for second in (100, 101):
        monkeypatch.setattr(time, "monotonic", lambda second=second: second + 0.5)
        for _ in range(3):
            frames.check()
        with pytest.raises(RateLimited, match="more than 3 messages a second"):
            frames.check()
    settings.PUNTO_FRAMES_PER_S = None
    frames.check()
