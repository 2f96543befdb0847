"""How many frames of a connection are answered, and what becomes of those beyond."""

import time
from typing import Final

from django.conf import settings

MOST_LIMITED_S: Final = 10
"""Seconds in a row with more frames than the limit, before the connection ends."""


class FrameLimit:
    """Counts frames in whole seconds of its own clock."""

    __slots__ = ("_count", "_limited", "_second", "_told", "message_ids")

    def __init__(self) -> None:
        self._second = 0
        self._count = 0
        self._limited = 0
        """Seconds in a row that were over the limit, with the running one."""
        self._told = 0
        self.message_ids: list[str] = []
        """Of frames beyond the limit: they are used, and not noted yet."""

    def is_over(self) -> bool:
        """Count one frame; True: it is one too many in this second."""
        limit = settings.PUNTO_FRAMES_PER_S
        if limit is None:
            return False
        second = int(time.monotonic())
        if second != self._second:
            self._limited = self._limited + 1 if self._count > limit and second == self._second + 1 else 0
            self._second, self._count = second, 0
        self._count += 1
        return self._count > limit

    def is_to_be_told(self) -> bool:
        """Say whether the client was not told in this second yet, and take it as told."""
        is_first = self._told != self._second
        self._told = self._second
        return is_first

    @property
    def is_flood(self) -> bool:
        """Whether it has gone on for so long that the connection ends."""
        return self._limited >= MOST_LIMITED_S
