"""The socket `/v1/ws/portal`, which announces to a player's page that something of the player has changed.

It sends nothing else and accepts no messages: the page then reads the data over HTTP, as its player. An announcement
may be lost, so a page also reads when it becomes visible and when its socket opens.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs

from apps.core.player_changes import player_topic
from apps.core.pubsub import audience
from apps.core.socket_limits import guard_of
from apps.portal.authentication import changes_player

CLOSE_REFUSED: Final = 4000
CLOSE_POLICY: Final = 1008
MAX_PAGES: Final = 100
"""The most sockets of one player in a process, more than any player needs."""

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def changes_socket(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Serve one page, as an ASGI application. The token identifies the player without a query before the handshake is
    answered."""
    await receive()  # the handshake
    tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
    player_id = changes_player(tokens[0])
    topic = player_topic(player_id or 0)
    guard = guard_of(scope)
    if player_id is None or audience.count(topic) >= MAX_PAGES:
        if guard is not None and player_id is None:
            guard.refused()
        await send({"type": "websocket.close", "code": CLOSE_REFUSED})
        return
    if guard is not None:
        guard.authenticated()
    bell = _Bell()
    try:
        await audience.join([topic], bell)
        await send({"type": "websocket.accept"})
        telling = asyncio.create_task(_tell(bell, send))
        try:
            message = await receive()
        finally:
            telling.cancel()
            with suppress(asyncio.CancelledError, OSError):  # the page may have closed during the message
                await telling
        if message["type"] == "websocket.receive":
            await send({"type": "websocket.close", "code": CLOSE_POLICY})
    finally:
        audience.leave([topic], bell)


async def _tell(bell: "_Bell", send: Send) -> None:
    """Send an announcement at once, since changes during the connect may be missed, and then for each change."""
    while True:
        await send({"type": "websocket.send", "text": '{"changed":true}'})
        await bell.rung()


class _Bell:
    """Receives announcements and merges those that arrive before the next `rung`."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def put_nowait(self, item: dict[str, Any], /) -> None:
        del item
        self._event.set()

    async def rung(self) -> None:
        await self._event.wait()
        self._event.clear()
