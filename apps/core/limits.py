"""Rate limits on Redis. They protect the service; nothing about money depends on them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final
from weakref import WeakKeyDictionary

import redis.asyncio
import structlog
from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage as AwaitedStorage
from limits.aio.strategies import MovingWindowRateLimiter as AwaitedLimiter
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.connection import ConnectionPool
from redis.exceptions import RedisError

from apps.core.errors import RateLimited

_PATIENCE_S: Final = 1
"""How long Redis may take before we go on without it."""
_CONNECTIONS: Final = 16
"""Of an event loop's; whoever finds all of them busy waits for one, as long as for Redis itself."""

logger = structlog.get_logger(__name__)


def limit_check(*, kind: str, who: object, per_s: int | None) -> None:
    """Count one request of `who`; more than `per_s` within any second raise RateLimited. None is no limit.

    While Redis is away nothing is limited: a bet must not fail for want of a counter.
    """
    if per_s is None:
        return
    allowed = True
    with _without_redis_unlimited(kind):
        allowed = _limiter(settings.REDIS_URL).hit(RateLimitItemPerSecond(per_s), kind, str(who))
    if not allowed:
        raise _too_many(per_s)


async def limit_check_awaited(*, kind: str, who: object, per_s: int | None) -> None:
    """Do as `limit_check` does, with the same counters, on the event loop."""
    if per_s is None:
        return
    allowed = True
    with _without_redis_unlimited(kind):
        allowed = await _awaited_limiter().hit(RateLimitItemPerSecond(per_s), kind, str(who))
    if not allowed:
        raise _too_many(per_s)


@contextmanager
def _without_redis_unlimited(kind: str) -> Iterator[None]:
    try:
        yield
    except RedisError as error:
        logger.warning("rate_limit_off", kind=kind, error=type(error).__name__)


def _too_many(per_s: int) -> RateLimited:
    return RateLimited(f"more than {per_s} requests a second", retry_after_s=1)


@lru_cache(maxsize=2)
def _limiter(redis_url: str) -> MovingWindowRateLimiter:
    pool = ConnectionPool.from_url(redis_url, socket_timeout=_PATIENCE_S, socket_connect_timeout=_PATIENCE_S)
    # The storage asks for a `redis` address and then takes the pool: ours may be a Unix socket with options.
    return MovingWindowRateLimiter(RedisStorage("redis://", connection_pool=pool, key_prefix=_prefix()))


def _awaited_limiter() -> AwaitedLimiter:
    loop = asyncio.get_running_loop()
    limiter = _awaited_limiters.get(loop)
    if limiter is None:
        options: dict[str, Any] = {
            "connection_pool": redis.asyncio.BlockingConnectionPool.from_url(
                settings.REDIS_URL,
                max_connections=_CONNECTIONS,
                timeout=_PATIENCE_S,
                socket_timeout=_PATIENCE_S,
                socket_connect_timeout=_PATIENCE_S,
            )
        }
        storage = AwaitedStorage("redis://", implementation="redispy", key_prefix=_prefix(), **options)
        limiter = _awaited_limiters[loop] = AwaitedLimiter(storage)
    return limiter


def _prefix() -> str:
    return f"{settings.PUNTO_REDIS_PREFIX}:limit"


_awaited_limiters: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, AwaitedLimiter]] = WeakKeyDictionary()
