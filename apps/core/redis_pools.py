"""Redis for what a request can do without: rate limits, figures, advice. It is asked for a short time only."""

from functools import lru_cache

import redis
from django.conf import settings


@lru_cache(maxsize=8)
def redis_pool(redis_url: str, *, decode_responses: bool = False) -> redis.ConnectionPool:
    """Return the process's connections to this Redis, which has `PUNTO_REDIS_TIMEOUT_S` to connect and to answer."""
    timeout_s = settings.PUNTO_REDIS_TIMEOUT_S
    return redis.ConnectionPool.from_url(
        redis_url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, decode_responses=decode_responses
    )
