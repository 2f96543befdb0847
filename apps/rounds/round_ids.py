"""The ids of rounds at tables of one player."""

import os
import time
from typing import Final
from uuid import UUID

_TICKS_PER_S: Final = 1 << 16
_FORM: Final = 8 << 76 | 0b10 << 62
_FREE: Final = ~(0xF << 76 | 0b11 << 62)
"""All bits but those of the version and the variant."""


def round_id_make() -> UUID:
    """Return a new id: a UUID of version 8 (RFC 9562) that begins with the time, and is random after that.

    Rounds of the same time stand together in every index by round, so that PostgreSQL changes few of its pages. The
    time is 32 bits, in 65,536ths of a second, and begins again after 18 hours: the first eight characters of an id,
    which lists show and a search takes, are as rarely those of another round as if they were random. Whoever
    knows the day of a round can read its time from its id. No page or call is open to a reader by an id alone.
    """
    ticks = time.time_ns() * _TICKS_PER_S // 1_000_000_000 & 0xFFFFFFFF
    return UUID(int=(ticks << 96 | int.from_bytes(os.urandom(12))) & _FREE | _FORM)
