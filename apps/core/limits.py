"""Rate limits in Redis; the rates are settings (casino/settings/base.py, `*_PER_S`).

They protect the service; no movement of money depends on them.
"""

from functools import lru_cache
from typing import Final

import structlog
from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.connection import ConnectionPool
from redis.exceptions import RedisError

from apps.core.errors import RateLimited

_PATIENCE_S: Final = 1
"""Seconds that Redis has to answer."""

logger = structlog.get_logger(__name__)


def limit_check(*, kind: str, who: object, per_s: int | None) -> None:
    """Count one request of `who`; more than `per_s` within any second raise RateLimited. None is no limit.

    Without Redis nothing is limited, so that no call fails for lack of a counter.
    """
    if per_s is None:
        return
    try:
        allowed = _limiter(settings.REDIS_URL).hit(RateLimitItemPerSecond(per_s), kind, str(who))
    except RedisError as error:
        logger.warning("rate_limit_off", kind=kind, error=type(error).__name__)
        return
    if not allowed:
        raise RateLimited(f"more than {per_s} requests a second", retry_after_s=1)


@lru_cache(maxsize=2)
def _limiter(redis_url: str) -> MovingWindowRateLimiter:
    pool = ConnectionPool.from_url(redis_url, socket_timeout=_PATIENCE_S, socket_connect_timeout=_PATIENCE_S)
    # The storage requires a `redis://` address but uses the given pool, which may have a Unix socket and options.
    return MovingWindowRateLimiter(
        RedisStorage("redis://", connection_pool=pool, key_prefix=f"{settings.PUNTO_REDIS_PREFIX}:limit")
    )
