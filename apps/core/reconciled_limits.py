"""Rate limits that are counted in the process, and that processes tell each other of through Redis now and then.

One awaited hit in Redis costs more than the whole bet that it is counted for.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from threading import Event, Lock, Thread
from typing import Final

import redis
import structlog
from django.conf import settings
from redis.commands.core import Script
from redis.exceptions import RedisError

from apps.core.budgets import Rate, TokenBucket
from apps.core.errors import RateLimited

RECONCILE_S: Final = 0.5
"""How often a process adds its counts to those in Redis, and learns those of the others."""
AHEAD_S: Final = 1
"""How many seconds' worth may be used at once."""
_UNTOLD: Final = 1
"""Uses between two looks at Redis that are not worth telling."""
_REDIS_TIMEOUT_S: Final = 1
_KEPT_MS: Final = 10_000
"""How long Redis keeps a count that no process adds to."""
# Adds the arguments to the counters, and returns what they are then.
_ADD: Final = f"""
local totals = {{}}
for i, key in ipairs(KEYS) do
    totals[i] = redis.call('INCRBY', key, ARGV[i])
    redis.call('PEXPIRE', key, {_KEPT_MS})
end
return totals
"""

logger = structlog.get_logger(__name__)


class _Usage:
    """What one owner of the limit has used in this process, and in the others as far as that is known here."""

    __slots__ = ("bucket", "count", "reported", "total")

    def __init__(self, bucket: TokenBucket) -> None:
        self.bucket = bucket
        self.count = 0
        self.reported = 0
        """Of `count`, what Redis has."""
        self.total: int | None = None
        """The counter in Redis when it was last seen; None: not yet."""


class ReconciledLimit:
    """So much a second for each owner, over all processes together; for any thread.

    What the other processes have allowed is charged here half a second later: in the long run an owner gets `per_s`
    from all of them together, and at first as much from each as its bucket holds. An owner who comes once in that time
    is not told of: most come so. While Redis is away, each process counts by itself.
    """

    def __init__(self, kind: str, per_s: int) -> None:
        self._kind = kind
        self._rate = Rate(per_s, AHEAD_S)
        self._usages: dict[int, _Usage] = {}
        self._lock = Lock()
        self._due = Event()
        self._thread: Thread | None = None
        self._is_redis_away = False

    @property
    def known(self) -> int:
        """How many owners are counted."""
        return len(self._usages)

    def check(self, owner: int) -> None:
        """Count one use. Raises RateLimited where the owner has none left."""
        now = time.monotonic()
        with self._lock:
            usage = self._usages.get(owner)
            if usage is None:
                usage = self._add(owner, now)
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
                if usage.total is not None or usage.count - usage.reported > _UNTOLD
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
                # Below 0 where Redis has lost the counter: what it counts from now on is compared with this total.
                usage.bucket.charge(max(others, 0), now)

    def _add(self, owner: int, now: float) -> _Usage:
        usage = self._usages[owner] = _Usage(TokenBucket(self._rate, now))
        if self._thread is None or not self._thread.is_alive():  # a process that was forked has no threads
            self._thread = Thread(target=self._reconcile_all, name=f"limit-{self._kind}", daemon=True)
            self._thread.start()
        self._due.set()
        return usage

    def _is_idle(self, usage: _Usage, now: float) -> bool:
        return usage.count - usage.reported <= _UNTOLD and usage.bucket.tokens(now) >= self._rate.most

    def _reconcile_all(self) -> None:
        while True:
            if not self._usages:
                self._due.wait()
            self._due.clear()
            time.sleep(RECONCILE_S)
            try:
                self.reconcile()
            except RedisError as error:
                if not self._is_redis_away:
                    logger.warning("rate_limit_not_shared", kind=self._kind, error=type(error).__name__)
                self._is_redis_away = True
                self._start_anew()
            else:
                self._is_redis_away = False

    def _start_anew(self) -> None:
        """Owe Redis nothing: what was counted while it was away stays this process's own."""
        with self._lock:
            for usage in self._usages.values():
                usage.reported, usage.total = usage.count, None


@lru_cache(maxsize=8)
def reconciled_limit(kind: str, per_s: int) -> ReconciledLimit:
    """Return this process's limit of that kind."""
    return ReconciledLimit(kind, per_s)


@lru_cache(maxsize=2)
def _adder(redis_url: str) -> Script:
    pool = redis.ConnectionPool.from_url(
        redis_url, socket_timeout=_REDIS_TIMEOUT_S, socket_connect_timeout=_REDIS_TIMEOUT_S
    )
    return redis.Redis(connection_pool=pool).register_script(_ADD)
