"""Django's cache in Redis, with clients that last."""

from typing import Any

from django.core.cache.backends import redis


class RedisCacheClient(redis.RedisCacheClient):
    """Keeps its client of the one server that there is. Django makes one for each command, which takes longer than the
    command.
    """

    def __init__(self, servers: Any, **options: Any) -> None:
        super().__init__(servers, **options)
        self._kept: Any = None

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        if self._kept is None:
            self._kept = super().get_client(key, write=write)
        return self._kept


class RedisCache(redis.RedisCache):
    """The cache. Its location is one server."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = RedisCacheClient
