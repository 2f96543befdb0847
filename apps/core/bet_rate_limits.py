"""Rate limits of bets, which each process counts itself and exchanges with the others through Redis twice a second.

One awaited call to Redis costs more than the whole bet it counts.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock, Thread
from typing import Final

import redis
import structlog
from django.conf import settings
from redis.commands.core import Script
from redis.exceptions import RedisError

from apps.core.errors import RateLimited
from apps.core.redis_pools import redis_pool
from apps.core.token_buckets import Rate, TokenBucket

RECONCILE_S: Final = 0.5
"""How often a process adds its counts to Redis and reads those of the others."""
AHEAD_S: Final = 1
"""How many seconds of the limit may be used at once."""
_UNREPORTED: Final = 1
"""Uses between two exchanges that are too few to report."""
_KEPT_MS: Final = 10_000
"""How long Redis keeps an unchanged count."""
# Adds the arguments to the counters and returns the new values.
_ADD: Final = f"""
local totals = {{}}
for i, key in ipairs(KEYS) do
    totals[i] = redis.call('INCRBY', key, ARGV[i])
    redis.call('PEXPIRE', key, {_KEPT_MS})
end
return totals
"""

logger = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Usage:
    """One owner's uses in this process, and the known ones of the others."""

    bucket: TokenBucket
    count: int = 0
    reported: int = 0
    """The part of `count` that Redis has."""
    total: int | None = None
    """The last known counter in Redis, or None."""


class ReconciledLimit:
    """A rate per second for each owner over all processes. Thread-safe.

    Uses in other processes are charged here half a second later: in the long run an owner gets `per_s` from all
    processes together, but at first a full bucket from each. Single uses in that time are not reported: most owners
    have only those. While Redis is unreachable, each process counts by itself.
    """

    def __init__(self, kind: str, per_s: int) -> None:
        self._kind = kind
        self._rate = Rate(per_s, AHEAD_S)
        self._usages: dict[int, _Usage] = {}
        self._lock = Lock()
        self._thread: Thread | None = None

    def check(self, owner: int) -> None:
        """Count one use. Raises RateLimited if the owner has none left."""
        now = time.monotonic()
        with self._lock:
            usage = self._usages.get(owner) or self._add(owner, now)
            if usage.bucket.spend(1, now):
                usage.count += 1
                return
        raise RateLimited(f"more than {self._rate.per_s} requests a second", retry_after_s=1)

    def reconcile(self) -> None:
        """Exchange counts with the other processes. Raises RedisError."""
        with self._lock:
            now = time.monotonic()
            for owner in [owner for owner, usage in self._usages.items() if self._is_idle(usage, now)]:
                del self._usages[owner]
            usages = [
                (owner, usage, usage.count)
                for owner, usage in self._usages.items()
                if usage.total is not None or usage.count - usage.reported > _UNREPORTED
            ]
        if not usages:
            return
        prefix = f"{settings.PUNTO_REDIS_PREFIX}:limit:{self._kind}"
        keys = [f"{prefix}:{owner}" for owner, _, _ in usages]
        totals: Sequence[int] = _adder(settings.REDIS_URL)(
            keys=keys, args=[count - usage.reported for _, usage, count in usages]
        )
        with self._lock:
            now = time.monotonic()
            for (_, usage, count), total in zip(usages, totals, strict=True):
                others = 0 if usage.total is None else total - usage.total - (count - usage.reported)
                usage.total, usage.reported = total, count
                # Negative if Redis has lost the counter; later counts are compared with this total.
                usage.bucket.charge(max(others, 0), now)

    def _add(self, owner: int, now: float) -> _Usage:
        usage = self._usages[owner] = _Usage(TokenBucket(self._rate, now))
        if self._thread is None or not self._thread.is_alive():  # A forked process has no threads.
            self._thread = Thread(target=self._reconcile_all, name=f"limit-{self._kind}", daemon=True)
            self._thread.start()
        return usage

    def _is_idle(self, usage: _Usage, now: float) -> bool:
        return usage.count - usage.reported <= _UNREPORTED and usage.bucket.tokens(now) >= self._rate.most

    def _reconcile_all(self) -> None:
        is_redis_away = False
        while True:
            time.sleep(RECONCILE_S)
            try:
                self.reconcile()
                is_redis_away = False
            except RedisError as error:
                if not is_redis_away:
                    logger.warning("rate_limit_not_shared", kind=self._kind, error=type(error).__name__)
                is_redis_away = True
                with self._lock:
                    for usage in self._usages.values():  # Uses during an outage stay this process's own.
                        usage.reported, usage.total = usage.count, None


@lru_cache(maxsize=8)
def reconciled_limit(kind: str, per_s: int) -> ReconciledLimit:
    """Return this process's limit of that kind."""
    return ReconciledLimit(kind, per_s)


@lru_cache(maxsize=2)
def _adder(redis_url: str) -> Script:
    return redis.Redis(connection_pool=redis_pool(redis_url)).register_script(_ADD)
