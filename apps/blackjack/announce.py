"""What open sockets are told: a take-over of their session, a partner's new configuration.

At most once, and nothing depends on it. A process listens once for all its sockets, so none of them needs Redis
to open or to play; after Redis was away the process listens again by itself.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import structlog
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from apps.blackjack.selectors import config_body
from apps.rounds.games import BLACKJACK

GROUP: Final = f"{BLACKJACK}.announcements"
PATIENCE_S: Final = 2
"""How long Redis may take to answer before we go on without it."""
RETRY_S: Final = 1

log = structlog.get_logger(__name__)


def session_topic(session_id: int) -> str:
    """Return the topic of a session: who holds it."""
    return f"session.{session_id}"


def config_topic(partner_id: int, currency_code: str) -> str:
    """Return the topic of a partner's configuration in a currency."""
    return f"config.{partner_id}.{currency_code}"


def config_announce(partner_id: int, currency_code: str) -> None:
    """Send the configuration as it now stands to the partner's open sockets. Call it after the commit."""
    data = config_body(partner_id=partner_id, currency_code=currency_code)
    # Whoever plays next reads the new limits from the database anyway.
    async_to_sync(announce)(config_topic(partner_id, currency_code), {"type": "config.changed", "data": data})


async def announce(topic: str, message: dict[str, Any]) -> None:
    """Tell the sockets of every process that have joined the topic; nobody, while Redis is away."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            await get_channel_layer().group_send(GROUP, message | {"topic": topic})
    except (RedisError, OSError) as error:
        log.warning("not_announced", kind=message["type"], error=str(error) or type(error).__name__)


class Audience:
    """The sockets of this process by topic, and the one subscription that hears for them all. Of one event loop."""

    def __init__(self) -> None:
        self._queues: dict[str, set[asyncio.Queue[dict[str, Any]]]] = {}
        self._hearing: asyncio.Task[None] | None = None
        self._has_tried = asyncio.Event()

    async def join(self, topics: Sequence[str], queue: asyncio.Queue[dict[str, Any]]) -> None:
        """Have `queue` get what is announced under the topics, from now on, or from when Redis is back on."""
        for topic in topics:
            self._queues.setdefault(topic, set()).add(queue)
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.create_task(self._hear())
        await self._has_tried.wait()

    def leave(self, topics: Sequence[str], queue: asyncio.Queue[dict[str, Any]]) -> None:
        """Undo `join`."""
        for topic in topics:
            queues = self._queues.get(topic, set())
            queues.discard(queue)
            if not queues:
                self._queues.pop(topic, None)

    async def _hear(self) -> None:
        try:
            while True:
                with suppress(RedisError, OSError):
                    await self._hear_while_connected()
                self._has_tried.set()
                await asyncio.sleep(RETRY_S)
        finally:
            self._has_tried.set()  # nobody waits for a task that has ended

    async def _hear_while_connected(self) -> None:
        """Pass on what is announced, without end: the layer subscribes again by itself once a connection has stood."""
        layer = get_channel_layer()
        try:
            async with asyncio.timeout(PATIENCE_S):
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
        except (RedisError, OSError) as error:
            log.warning("announcements_not_heard", error=str(error) or type(error).__name__)
            await layer.flush()  # it would keep the half-made channel
            return
        self._has_tried.set()
        while True:
            self._deliver(await layer.receive(channel))

    def _deliver(self, message: dict[str, Any]) -> None:
        for queue in self._queues.get(message["topic"], ()):
            queue.put_nowait(message)


audience: Final = Audience()
