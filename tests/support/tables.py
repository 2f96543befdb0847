"""Players at tables over real sockets: they log in, keep all messages that they get, and act."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from typing import Any
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from apps.accounts.models import Player
from apps.partners.models import Partner
from apps.tables.models import GameTable, TableSession
from apps.tables.services import seat_take, table_watch
from apps.tables.sessions import table_session_open
from apps.tables.table_creation import RoomOptions, partner_table_create
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make
from tests.support.loop import run_alone
from tests.support.server import Server
from tests.support.waiting import and_close

CONTRIBUTION = "0123456789abcdef0123456789abcdef"

Message = dict[str, Any]


def table_make(
    partner: Partner, *, game_type: str = "blackjack", currency: str | None = None, **wish: Any
) -> GameTable:
    """Return a new table of the partner; without a currency it is for points. Its times are long: a test that waits for
    the end of a window sends `ready`.
    """
    pace = {"window_s": 30, "turn_s": 60, "pause_s": 1}
    made = RoomOptions(game_type=game_type, currency_code=currency, **(pace | wish))
    return partner_table_create(partner=partner, actor="test", options=made)


def session_make(player: Player, *, currency: str = "FUN", **more: Any) -> tuple[TableSession, str]:
    """Return a new session of the player, and its token."""
    return table_session_open(player=player, currency_code=currency, **more)


def players_make(count: int, *, balance: int = 1000, currency: str = "FUN") -> tuple[Partner, list[Player]]:
    """Return players of one partner, each with a wallet."""
    first = player_make(balance=Decimal(balance), currency=currency)
    rest = [player_make(balance=Decimal(balance), currency=currency, partner=first.partner) for _ in range(count - 1)]
    return first.partner, [first, *rest]


def sit(session: TableSession, table: GameTable, *, seat: int | None = None, contribution: str = "") -> int:
    """Take a seat as the lobby does, in a process without sockets."""
    return run_alone(seat_take(session_id=session.pk, table_id=str(table.pk), seat=seat, contribution=contribution))


def watch(session: TableSession, table: GameTable) -> None:
    """Watch a table as the lobby does."""
    run_alone(table_watch(session_id=session.pk, table_id=str(table.pk)))


class ConnectionEnded(AssertionError):
    """A connection that ended while a message was waited for."""


class Seated:
    """A client that keeps all messages that it gets, in order."""

    def __init__(self, link: ClientConnection) -> None:
        self.link = link
        self.heard: list[Message] = []
        self.frames: list[str] = []
        self.close_code: int | None = None
        self.session_id = ""
        self.player_id = ""
        self._news = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())
        self._read_to = 0

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                text = await self.link.recv()
                assert isinstance(text, str)
                async with self._news:
                    self.frames.append(text)
                    self.heard.append(json.loads(text, parse_float=Decimal))
                    self._news.notify_all()
        async with self._news:
            self.close_code = self.link.close_code
            self._news.notify_all()

    async def send(self, kind: str, *, message_id: str = "", **members: Any) -> str:
        """Send a message and return its id."""
        message_id = message_id or str(uuid4())
        await self.link.send(json.dumps({"type": kind, "messageId": message_id, "timestamp": 1} | members))
        return message_id

    async def act(self, table: GameTable, action: str, *, message_id: str = "", **payload: Any) -> Message:
        """Submit an action and return its answer: an ack, or the refusal."""
        sent = await self.send(
            "submit_action",
            message_id=message_id,
            gameType=table.game_type,
            tableId=str(table.pk),
            payload={"action": action, **payload},
        )
        return await self.answer_to(sent)

    async def answer_to(self, message_id: str) -> Message:
        return await self.until(lambda message: message.get("relatedMessageId") == message_id, all_of_it=True)

    async def until(self, wanted: Callable[[Message], bool] | str, *, all_of_it: bool = False) -> Message:
        """Return the next message that is as wanted, or of that type; with `all_of_it` also an earlier one."""
        is_wanted = (lambda message: message["type"] == wanted) if isinstance(wanted, str) else wanted
        place = 0 if all_of_it else self._read_to
        async with asyncio.timeout(WAIT_S), self._news:
            while True:
                while place < len(self.heard):
                    message = self.heard[place]
                    place += 1
                    if is_wanted(message):
                        if not all_of_it:
                            self._read_to = place
                        return message
                if self.close_code is not None:
                    raise ConnectionEnded(f"closed with {self.close_code}; heard {self.types}")
                try:
                    await self._news.wait()
                except asyncio.CancelledError:
                    print("heard", self.types)
                    raise

    async def closed(self) -> int:
        """Return the code of the connection's end, when it comes."""
        async with asyncio.timeout(WAIT_S), self._news:
            await self._news.wait_for(lambda: self.close_code is not None)
        assert self.close_code is not None
        return self.close_code

    @property
    def types(self) -> list[str]:
        return [message["type"] for message in self.heard]

    def all(self, kind: str) -> list[Message]:
        """Return all received messages of a type."""
        return [message for message in self.heard if message["type"] == kind]

    async def log_in(self, token: str) -> Message:
        return await self._log_in_answer(await self.send("authenticate", token=token, protocolVersion="1.0"))

    async def reconnect(self, token: str, session_id: str, last_seen: str | None = None) -> Message:
        more = {} if last_seen is None else {"lastSeenMessageId": last_seen}
        return await self._log_in_answer(await self.send("reconnect", token=token, sessionId=session_id, **more))

    async def _log_in_answer(self, sent: str) -> Message:
        answer = await self.until(
            lambda message: message["type"] == "authenticated" or message.get("relatedMessageId") == sent
        )
        assert answer["type"] == "authenticated", answer
        self.session_id, self.player_id = answer["sessionId"], answer["playerId"]
        return answer

    async def end(self) -> None:
        await self.link.close()
        await self._reader


@asynccontextmanager
async def seated(server: Server, token: str | None = None, **options: Any) -> AsyncIterator[Seated]:
    """Connect, and log in with the token if there is one."""
    url = f"ws://127.0.0.1:{server.port}/ws/tables"
    async with connect(url, max_size=2**24, open_timeout=WAIT_S, close_timeout=5, **options) as link:
        client = Seated(link)
        await client.until("hello")
        if token is not None:
            await client.log_in(token)
        yield client
        await client.end()


def own_seat(client: Seated, state: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the client's seat in a public state."""
    return next(seat for seat in state["seats"] if seat["playerId"] == client.player_id)


async def until(holds: Callable[[], Awaitable[object]]) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(WAIT_S):
        while not await holds():  # noqa: ASYNC110 - another process is waited for
            await asyncio.sleep(0.05)


async def has_socket(session: TableSession) -> bool:
    held = TableSession.objects.filter(pk=session.pk).exclude(socket="")
    return await asyncio.to_thread(and_close(held.exists))
