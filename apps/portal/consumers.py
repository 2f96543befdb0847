"""The socket `/v1/ws/portal`: it tells a page of a player's that something of the player has changed.

It says no more than that, and takes no messages: what has changed the page reads over HTTP, as the player that it is
there. An announcement may be lost, so a page reads again too when it is looked at and when its socket opens.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs

from apps.core.announce import audience
from apps.core.player_changes import player_topic
from apps.core.sockets import guard_of
from apps.portal.access import changes_player

CLOSE_REFUSED: Final = 4000
CLOSE_POLICY: Final = 1008
MOST_PAGES: Final = 100
"""Sockets of one player in a process: more than anybody has pages open."""

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def changes_socket(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Serve one page, as an ASGI application. Who it is is known before the handshake is answered, without a query."""
    await receive()  # the handshake
    tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
    player_id = changes_player(tokens[0])
    topic = player_topic(player_id or 0)
    guard = guard_of(scope)
    if player_id is None or audience.count(topic) >= MOST_PAGES:
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
            with suppress(asyncio.CancelledError, OSError):  # the page may have gone while it was told
                await telling
        if message["type"] == "websocket.receive":
            await send({"type": "websocket.close", "code": CLOSE_POLICY})
    finally:
        audience.leave([topic], bell)


async def _tell(bell: "_Bell", send: Send) -> None:
    """Tell the page at once, since it may have missed something while it connected, and then each time."""
    while True:
        await send({"type": "websocket.send", "text": '{"changed":true}'})
        await bell.rung()


class _Bell:
    """Takes announcements; many before anybody looks are one."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def put_nowait(self, item: dict[str, Any], /) -> None:
        del item
        self._event.set()

    async def rung(self) -> None:
        await self._event.wait()
        self._event.clear()
