"""Notices when play fails for everybody: bets that end in an error of ours, and none that succeeds in between.

The answer to one such bet, for example if PostgreSQL is away, is in apps/core/database_errors.py. Here failures are
counted in the cache, each process at most one a second. A bet that succeeds costs nothing: the check looks for rounds
that have begun since the first failure.
"""

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

import structlog
from django.core.cache import cache
from django.db import transaction
from redis.exceptions import RedisError

from apps.core.api import InternalError
from apps.core.errors import DomainError
from apps.core.metrics import process_meter
from apps.events.models import EventKind
from apps.events.services import event_record
from apps.events.thresholds import UNAVAILABLE_S, threshold_value
from apps.rounds.models import Round

FORGOTTEN_S: Final = 10 * 60
"""Seconds without a failure after which a series of failures is over."""
MIN_FAILURES: Final = 3
"""The fewest counted failures; `play_failure_count` counts at most one a second in each process."""
A_SERVER_ERROR: Final = 500
_FIRST: Final = "events:play-failing:first"
_LAST: Final = "events:play-failing:last"
_COUNT: Final = "events:play-failing:count"

log = structlog.get_logger(__name__)


class _LastCount:
    """When this process last counted a failure. It counts at most one a second, so a flood of failures causes few
    writes."""

    at_s = 0.0


def play_failure_count(error: DomainError | None = None) -> None:
    """Count a bet or an action that was answered with an error: by its code, and as a failure if it is our fault.

    It is ours if `error` has a status from 500 on, or is None: any other exception. Further failures within a second
    of a counted one are not counted.
    """
    process_meter().refused(InternalError.code if error is None else getattr(error, "wire_code", error.code))
    now_s = time.time()
    if (error is not None and error.http_status < A_SERVER_ERROR) or 0 <= now_s - _LastCount.at_s < 1:
        return
    _LastCount.at_s = now_s
    with suppress(RedisError, ValueError):
        for key, begin in ((_FIRST, now_s), (_COUNT, 0)):
            if not cache.add(key, begin, FORGOTTEN_S):
                cache.touch(key, FORGOTTEN_S)
        cache.set(_LAST, now_s, FORGOTTEN_S)
        cache.incr(_COUNT)


@transaction.atomic
def play_failing_check() -> bool:
    """Record an event if play has failed for everybody for as long as the threshold says; return whether it has.

    A series of failures is one event. Nothing is recorded while Redis is away.
    """
    try:
        first_s, last_s, count = cache.get(_FIRST), cache.get(_LAST), cache.get(_COUNT, 0)
    except RedisError:
        return False
    if first_s is None or last_s is None:
        return False
    begun = datetime.fromtimestamp(first_s, UTC)
    if Round.objects.filter(started_at__gt=begun).exists():
        with suppress(RedisError):
            cache.delete_many([_FIRST, _LAST, _COUNT])
        return False
    if last_s - first_s < threshold_value(UNAVAILABLE_S) or count < MIN_FAILURES:
        return False
    event_record(
        kind=EventKind.UNAVAILABLE,
        component="play",
        subject="bets of everybody",
        reason="bets and actions fail by a fault of ours, and no round has begun since",
        after={"since": begun, "seconds": f"{last_s - first_s:.0f}", "failures": count},
        once=f"play failing {begun:%Y-%m-%d %H:%M:%S.%f}",
    )
    log.error("play_failing", since=begun.isoformat(), failures=count)
    return True
