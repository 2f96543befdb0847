"""Counts requests in Redis against rate limits. The rates are settings: casino/settings/base.py, names with `_PER_`.

The limits protect the service; no movement of money depends on them. Those that are counted elsewhere: docs/index.md.
"""

import time
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import structlog
from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

from apps.core.errors import RateLimited
from apps.core.redis_pools import redis_pool

logger = structlog.get_logger(__name__)


def limit_check(*, kind: str, who: object, per_s: int | None, what: str = "requests a second") -> None:
    """Count one request of `who`; more than `per_s` within any second raise RateLimited. None is no limit.

    `what` says what is limited, in the refusal. While Redis does not answer, nothing is limited: no call fails because
    it cannot be counted.
    """
    if per_s is None:
        return
    try:
        allowed = _limiter(settings.REDIS_URL).hit(RateLimitItemPerSecond(per_s), kind, str(who))
    except RedisError as error:
        logger.warning("rate_limit_off", kind=kind, error=type(error).__name__)
        return
    if not allowed:
        raise RateLimited(f"more than {per_s} {what}", retry_after_s=1)


@dataclass(frozen=True, slots=True)
class Quota:
    """The rest of a limit after a request, for the `RateLimit` headers of its answer."""

    kind: str
    limit: int
    window_s: int
    remaining: int
    reset_s: int
    """Seconds until the limit is full again; 0 if nothing was used."""

    def headers(self) -> dict[str, str]:
        """Return the headers of the answer, structured fields as in the IETF's draft of them."""
        return {
            "RateLimit-Policy": f'"{self.kind}";q={self.limit};w={self.window_s}',
            "RateLimit": f'"{self.kind}";r={self.remaining};t={self.reset_s}',
        }


class QuotaExceeded(RateLimited):
    """More requests than the limit allows. The refusal has the limit's `RateLimit` headers, as the other answers do."""

    def __init__(self, quota: Quota) -> None:
        super().__init__(f"more than {quota.limit} requests in {quota.window_s} s", retry_after_s=max(1, quota.reset_s))
        self.quota = quota


def quota_take(*, kind: str, who: object, most: int | None, window_s: int) -> Quota | None:
    """Count one request of `who` and return the rest of `most` in any `window_s` seconds.

    None: there is no limit, or Redis is away. Raises QuotaExceeded.
    """
    if most is None:
        return None
    limiter, item = _limiter(settings.REDIS_URL), RateLimitItemPerSecond(most, window_s)
    try:
        allowed = limiter.hit(item, kind, str(who))
        reset_at, remaining = limiter.get_window_stats(item, kind, str(who))
    except RedisError as error:
        logger.warning("rate_limit_off", kind=kind, error=type(error).__name__)
        return None
    quota = Quota(kind, most, window_s, remaining if allowed else 0, max(0, ceil(reset_at - time.time())))
    if not allowed:
        raise QuotaExceeded(quota)
    return quota


@lru_cache(maxsize=2)
def _limiter(redis_url: str) -> MovingWindowRateLimiter:
    # The storage requires a `redis://` address but uses the given pool, which may have a Unix socket and options.
    return MovingWindowRateLimiter(
        RedisStorage(
            "redis://", connection_pool=redis_pool(redis_url), key_prefix=f"{settings.PUNTO_REDIS_PREFIX}:limit"
        )
    )
