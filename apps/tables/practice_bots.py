"""Practice bots: players of the house that fill tables for points and play money, over the protocol like any other
player. They are marked as bots at every table, contribute nothing to the client seeds, and are in no report. They are
for the demo, so that a visitor without company sees the tables live. `manage.py table_bots` starts them.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen
from uuid import uuid4

import structlog
from asgiref.sync import sync_to_async
from django.db import Error as DatabaseFault
from django.db import close_old_connections
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from apps.core import json
from apps.core.errors import DomainError
from apps.rounds.table_game import PLACE_BET, READY, TableGame
from apps.tables.practice_players import bot_session_open, bot_wallet_fill
from apps.tables.registry import table_game_of

AGAIN_S: Final = 3
ANSWER_S: Final = 10
STAKE_TIMES: Final = (1, 1, 1, 2, 2, 5, 5, 10)
"""The multiples of the lowest stake that a bot chooses from; a number listed twice is twice as likely."""
THINK_S: Final = (0.8, 2.8)
"""The shortest and the longest time of a bot's bet or decision."""

Json = dict[str, Any]

log = structlog.get_logger(__name__)
chance: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class BotSeat:
    """A bot, and the table that it plays at."""

    player_id: int
    currency: str
    table_id: str
    game_type: str


async def bots_play(server: str, seats: Sequence[BotSeat]) -> None:
    """Play at all seats until cancelled; `server` is the address of the pages, `http://127.0.0.1:8000`."""
    async with asyncio.TaskGroup() as group:
        for seat in seats:
            group.create_task(PracticeBot(server, seat).play())


class PracticeBot:
    """One bot at one table. It reconnects whenever its connection ends."""

    def __init__(self, server: str, seat: BotSeat) -> None:
        self._server = server
        self._seat = seat
        self._game: TableGame[Any] = table_game_of(seat.game_type)
        self._player_id = ""
        self._state: Json = {}
        self._thinking: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Play until cancelled."""
        while True:
            try:
                token = await sync_to_async(self._session_open)()
                async with connect(f"{self._server.replace('http', 'ws', 1)}/ws/tables") as socket:
                    await self._sit(socket, token)
            except (OSError, URLError, WebSocketException, TimeoutError, DatabaseFault, DomainError) as error:
                log.debug("practice_bot_waits", error=str(error))
            finally:
                for task in self._thinking:
                    task.cancel()
            await asyncio.sleep(AGAIN_S + chance.random())

    def _session_open(self) -> str:
        close_old_connections()  # the database may have been unavailable
        return bot_session_open(self._seat.player_id, self._seat.currency)

    async def _sit(self, socket: ClientConnection, token: str) -> None:
        await self._say(socket, "authenticate", {"token": token, "protocolVersion": "1.0"})
        async for frame in socket:
            message = json.decode_object(frame if isinstance(frame, str) else frame.decode())
            await self._take(socket, token, message)

    async def _take(self, socket: ClientConnection, token: str, message: Json) -> None:
        payload: Json = message.get("payload") or {}
        match message["type"]:
            case "authenticated":
                self._player_id = str(message["playerId"])
                await asyncio.to_thread(self._join, token)
            case "heartbeat" if message["direction"] == "ping":
                await self._say(socket, "heartbeat", {"direction": "pong"})
            case "session_expiring":
                await self._say(socket, "session_extend", {})
            case "game_state_update":
                self._state = payload
            case "player_action_broadcast":
                self._state = payload["resultingState"]
            case "betting_window_open":
                self._think(self._bet(socket, payload["availableActions"]))
            case "game_action_request":
                self._think(self._answer(socket, payload))
            case "error" if message["code"] == "INSUFFICIENT_BALANCE":
                await sync_to_async(bot_wallet_fill)(self._seat.player_id, self._seat.currency)
            case _:
                pass

    async def _bet(self, socket: ClientConnection, actions: Sequence[Mapping[str, Any]]) -> None:
        offer = next((action for action in actions if action["type"] == PLACE_BET), None)
        if offer is None:
            return
        await asyncio.sleep(chance.uniform(*THINK_S))
        await self._act(socket, _stake(offer))
        # Without a person at the table the bots do not end the window early.
        if any(action["type"] == READY for action in actions) and self._has_company():
            await asyncio.sleep(chance.uniform(*THINK_S))
            await self._act(socket, {"action": READY})

    async def _answer(self, socket: ClientConnection, request: Json) -> None:
        await asyncio.sleep(chance.uniform(*THINK_S))
        seat: Json = next(seat for seat in request["seats"] if seat["playerId"] == self._player_id)
        await self._act(socket, self._game.practice_action(request, seat))

    async def _act(self, socket: ClientConnection, payload: Json) -> None:
        await self._say(
            socket,
            "submit_action",
            {"gameType": self._seat.game_type, "tableId": self._seat.table_id, "payload": payload},
        )

    def _has_company(self) -> bool:
        return any(not seat["bot"] for seat in self._state.get("seats", ()))

    def _think(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    def _join(self, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        address = f"{self._server}/api/rooms/{self._seat.table_id}/join"
        request = Request(address, data=b"{}", headers=headers, method="POST")  # noqa: S310 - our own server
        with urlopen(request, timeout=ANSWER_S) as answer:  # noqa: S310 - our own server
            answer.read()

    async def _say(self, socket: ClientConnection, kind: str, fields: Json) -> None:
        members = {"type": kind, "messageId": str(uuid4()), "timestamp": 0, **fields}
        await socket.send(json.encode(members).decode())


def _stake(offer: Mapping[str, Any]) -> Json:
    """Return a bet: a multiple of the lowest stake, on one of the first types of bets if the game has types."""
    times = chance.choice(STAKE_TIMES)
    if "betTypes" in offer:
        bet = chance.choice(offer["betTypes"][:2] * 4 + offer["betTypes"][:3])
        return {"action": PLACE_BET, "betType": bet["betType"], "amount": _times(bet, times)}
    return {"action": PLACE_BET, "amount": _times(offer, times)}


def _times(limits: Mapping[str, Any], times: int) -> int | Decimal:
    least, most = limits["minAmount"], limits["maxAmount"]
    return least * times if least * times <= most else least  # type: ignore[no-any-return]
