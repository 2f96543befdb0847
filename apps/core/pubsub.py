"""Pub/sub between the server processes, over Redis: announcements to open sockets, such as a change of a player.

Delivery is at most once, and no code depends on it. A process has one subscription for all its sockets, so none of them
needs Redis to open or to play. After Redis was unavailable, the process subscribes again automatically.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import structlog
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

GROUP: Final = "announcements"
PATIENCE_S: Final = 2
"""Seconds that Redis has to answer."""
RETRY_S: Final = 1

log = structlog.get_logger(__name__)


class Listener(Protocol):
    """Receives announcements without waiting, such as a queue."""

    def put_nowait(self, item: dict[str, Any], /) -> None: ...


async def announce(topics: Sequence[str], message: dict[str, Any]) -> None:
    """Announce to the sockets of every process that have joined one of the topics. Without Redis nothing is
    announced."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            await get_channel_layer().group_send(GROUP, message | {"topics": list(topics)})
    except (RedisError, OSError) as error:
        log.warning("not_announced", kind=message["type"], error=str(error) or type(error).__name__)


class Audience:
    """The sockets of this process by topic, and their common subscription. It belongs to one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[Listener]] = {}
        self._hearing: asyncio.Task[None] | None = None
        self._has_tried = asyncio.Event()

    async def join(self, topics: Sequence[str], listener: Listener) -> None:
        """Let `listener` get announcements of the topics from now on, or from the moment Redis is back."""
        for topic in topics:
            self._listeners.setdefault(topic, set()).add(listener)
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.create_task(self._hear())
        await self._has_tried.wait()

    def leave(self, topics: Sequence[str], listener: Listener) -> None:
        """Undo `join`."""
        for topic in topics:
            listeners = self._listeners.get(topic, set())
            listeners.discard(listener)
            if not listeners:
                self._listeners.pop(topic, None)

    def count(self, topic: str) -> int:
        """Return the number of listeners of the topic."""
        return len(self._listeners.get(topic, ()))

    async def _hear(self) -> None:
        try:
            while True:
                with suppress(RedisError, OSError):
                    await self._listen_while_connected()
                self._has_tried.set()
                await asyncio.sleep(RETRY_S)
        finally:
            self._has_tried.set()  # no code awaits this task

    async def _listen_while_connected(self) -> None:
        """Pass announcements on until Redis fails. Once connected, the channel layer subscribes again by itself."""
        layer = get_channel_layer()
        try:
            async with asyncio.timeout(PATIENCE_S):
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
        except (RedisError, OSError) as error:
            log.warning("announcements_not_received", error=str(error) or type(error).__name__)
            await layer.flush()  # otherwise it would keep the unfinished channel
            return
        self._has_tried.set()
        while True:
            self._deliver(await layer.receive(channel))

    def _deliver(self, message: dict[str, Any]) -> None:
        for topic in message["topics"]:
            for listener in self._listeners.get(topic, ()):
                listener.put_nowait(message)


audience: Final = Audience()
