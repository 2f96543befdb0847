"""The rate limit on the message frames of a connection."""

import time
from typing import Final

from django.conf import settings

MAX_LIMITED_S: Final = 10
"""The number of successive seconds above the limit after which the connection ends."""


class MessageRateLimit:
    """Counts frames in whole seconds of its own clock."""

    __slots__ = ("_count", "_limited", "_reported_second", "_second", "message_ids")

    def __init__(self) -> None:
        self._second = 0
        self._count = 0
        self._limited = 0
        """The number of successive seconds above the limit, the running one included."""
        self._reported_second = 0
        self.message_ids: list[str] = []
        """Message ids of frames beyond the limit; they count as used and are not stored yet."""

    def is_over(self) -> bool:
        """Count one frame, and return whether it is beyond the limit of this second."""
        limit = settings.PUNTO_FRAMES_PER_S
        if limit is None:
            return False
        second = int(time.monotonic())
        if second != self._second:
            self._limited = self._limited + 1 if self._count > limit and second == self._second + 1 else 0
            self._second, self._count = second, 0
        self._count += 1
        return self._count > limit

    def is_report_due(self) -> bool:
        """Return True once in each second, so that the client gets one error a second."""
        is_first = self._reported_second != self._second
        self._reported_second = self._second
        return is_first

    @property
    def is_flood(self) -> bool:
        """Whether the limit has been exceeded for too many seconds, so that the connection is closed."""
        return self._limited >= MAX_LIMITED_S
