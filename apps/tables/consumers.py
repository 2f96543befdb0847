"""The socket `/ws/tables`: parses a frame, calls one service, and sends the events of tables. It has no rules. A socket
gets the events of the tables that its session belongs to, in a seat or watching. They go through its send queue, so
nobody waits for a client that does not read.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import structlog
from django.conf import settings
from msgspec import UNSET

from apps.core.errors import AuthenticationFailed, DomainError, TryLater
from apps.core.message_rate_limit import MessageRateLimit
from apps.core.metrics import process_meter
from apps.core.postgres_pool import pool
from apps.core.socket_limits import SocketGuard, guard_of
from apps.rounds.outage_watch import play_failure_count
from apps.rounds.table_game import ActionRefusalCode, PayloadInvalid
from apps.tables.engine.state import ActionRefusal
from apps.tables.errors import TableNotFound
from apps.tables.event_feed import feed
from apps.tables.messages import (
    PROTOCOL_VERSION,
    Ack,
    Authenticate,
    BalanceQuery,
    BalanceResponse,
    Capabilities,
    ClientHeartbeat,
    ClientMessage,
    GameErrorCode,
    Heartbeat,
    HeartbeatDirection,
    Hello,
    InvalidMessage,
    NotAMessage,
    ProtocolErrorCode,
    Reconnect,
    SessionExtend,
    SubmitAction,
    UnknownMessage,
    game_error_body,
    inbound_read,
    message_id_make,
)
from apps.tables.registry import table_game_of, table_games
from apps.tables.send_queue import SendQueue
from apps.tables.services import table_action_take
from apps.tables.session_connection import CLOSE_REFUSED, SessionConnection
from apps.tables.session_sockets import SessionSockets, session_sockets
from apps.tables.session_store import HeldSession, Membership, balance_load, message_take, messages_take
from apps.tables.store import MessageUsed
from apps.tables.table_snapshot import Caller, Notice

MAX_UNREADABLE: Final = 3
"""The connection is closed after this number of successive frames that are no JSON object."""

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

log = structlog.get_logger(__name__)


async def tables_socket(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Serve one connection, as an ASGI application."""
    await receive()  # the handshake
    await send({"type": "websocket.accept"})
    sockets = session_sockets()
    sockets.start()
    connection = TablesConnection(sockets, guard_of(scope), send)
    try:
        await connection.run(receive)
    finally:
        feed().background(connection.gone())


class TablesConnection(SessionConnection):
    """One connection: it carries out the requests of its frames."""

    def __init__(self, sockets: SessionSockets, guard: SocketGuard | None, send: Send) -> None:
        super().__init__(sockets, guard, SendQueue(send, self._overflow))
        self._limit = MessageRateLimit()
        self._unreadable = 0
        self._sending: asyncio.Future[None] | None = None

    async def run(self, receive: Receive) -> None:
        """Read and send until either ends."""
        self.say(
            Hello(
                message_id=message_id_make(),
                server_id=self.sockets.server,
                supported_games=list(table_games()),
                capabilities=Capabilities(),
            )
        )
        timer = asyncio.get_running_loop().call_later(settings.PUNTO_AUTHENTICATE_S, self._log_in_due)
        self._sending = asyncio.ensure_future(self.send_queue.run())
        tasks = {self._sending, asyncio.ensure_future(self._read(receive))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.ended()
            timer.cancel()
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, OSError):
                    log.error("tables_socket_failed", exc_info=result)

    async def _read(self, receive: Receive) -> None:
        while True:
            frame = await receive()
            if frame["type"] == "websocket.disconnect":
                return
            if not self.send_queue.is_closing:
                await self._frame_take(frame.get("text"))

    async def _frame_take(self, text: str | None) -> None:
        """Answer one frame, valid or not."""
        message: ClientMessage | UnknownMessage | None = None
        message_id = ""
        try:
            is_over = self._limit.is_over()
            message = inbound_read(text)
            message_id = message.message_id
            self._unreadable = 0
            if is_over:
                self._limited(message_id)
            else:
                await self._message_take(message)
        except NotAMessage as error:
            self._unreadable += 1
            self.refuse(ProtocolErrorCode.INVALID_MESSAGE, error.message)
            if self._unreadable >= MAX_UNREADABLE:
                self.send_queue.close(CLOSE_REFUSED)
        except InvalidMessage as error:
            self._unreadable = 0
            await self._used(error.message_id)
            code = ProtocolErrorCode.INVALID_MESSAGE
            self.refuse(code, error.message, related=error.message_id)
        except MessageUsed as error:
            self.refuse(ProtocolErrorCode.DUPLICATE_MESSAGE, str(error), related=message_id)
        except AuthenticationFailed as error:
            self.session_lost(error)
        except DomainError as error:
            play_failure_count(error)
            if not isinstance(error, TryLater):
                await self._used(message_id)
            self.refuse(_CODES.get(error.code, ProtocolErrorCode.INTERNAL_ERROR), error.message, related=message_id)
        except Exception:
            log.exception("tables_message_failed", session=self.session_id)
            play_failure_count()
            text = "something went wrong on our side; it may have been done or not"
            self.refuse(ProtocolErrorCode.INTERNAL_ERROR, text, related=message_id)

    async def _message_take(self, message: ClientMessage | UnknownMessage) -> None:
        if self.held is None:
            await self._log_in(message)
            return
        self.activity_note()
        if self._limit.message_ids:
            await self._limited_note()
        match message:
            case SubmitAction():
                await self._act(message)
            case UnknownMessage():
                pass
            case Authenticate() | Reconnect():
                raise InvalidMessage("this connection has its session already", message_id=message.message_id)
            case _:
                await message_take(pool(), self._caller(message.message_id))
                await self._answer(message, self.held)

    async def _answer(self, message: ClientMessage, held: HeldSession) -> None:
        match message:
            case ClientHeartbeat():
                if message.direction is HeartbeatDirection.PING:
                    self.say(Heartbeat(message_id=message_id_make(), direction=HeartbeatDirection.PONG))
            case BalanceQuery():
                available, locked = await balance_load(self.session_id)
                self.say(
                    BalanceResponse(
                        message_id=message_id_make(),
                        available=available,
                        locked=locked,
                        total=available + locked,
                        currency=held.currency,
                    )
                )
            case SessionExtend():
                await self.extend()

    async def _act(self, message: SubmitAction) -> None:
        """Carry out an action at a table that the session belongs to."""
        if _is_other_version(message.protocol_version):
            await self._refuse_used(ProtocolErrorCode.VERSION_UNSUPPORTED, _VERSION_TEXT, message.message_id)
            return
        table_game_of(message.game_type)
        membership = await self.membership(message.table_id)
        if membership is None or membership.game_type != message.game_type:
            raise TableNotFound("the session belongs to no such table")
        table_id, message_id = membership.table_id, message.message_id

        def answer(refusal: ActionRefusal | None, again: Sequence[Notice]) -> None:
            if refusal is None:
                self.say(Ack(message_id=message_id_make(), related_message_id=message_id))
            else:
                self._action_refuse(refusal, membership, message_id)
            for notice in again:
                if notice.is_for(self.session_id):
                    self.send_queue.put_tail(notice.tail)

        try:
            await table_action_take(
                caller=self._caller(message_id), table_id=table_id, payload=message.payload, answer=answer
            )
        except PayloadInvalid as error:
            raise InvalidMessage(str(error), message_id=message_id) from error

    def _action_refuse(self, refusal: ActionRefusal, membership: Membership, message_id: str) -> None:
        process_meter().refused(refusal.code.value)
        if refusal.code in (ActionRefusalCode.INSUFFICIENT_BALANCE, ActionRefusalCode.PLAYER_BLOCKED):
            self.refuse(ProtocolErrorCode(refusal.code.value), refusal.message, related=message_id)
            return
        self.send_queue.put(
            game_error_body(
                GameErrorCode(refusal.code.value),
                refusal.message,
                game_type=membership.game_type,
                table_id=membership.table_id,
                related=message_id,
            )
        )

    async def _log_in(self, message: ClientMessage | UnknownMessage) -> None:
        message_id = message.message_id
        if not isinstance(message, Authenticate | Reconnect):
            self.refuse(_AUTH_REQUIRED, "the first message is authenticate or reconnect", related=message_id)
        elif _is_other_version(message.protocol_version):
            self.refuse(ProtocolErrorCode.VERSION_UNSUPPORTED, _VERSION_TEXT, related=message_id)
        else:
            await self.log_in(message)

    def _log_in_due(self) -> None:
        if self.held is None:
            text = f"authenticate did not come within {settings.PUNTO_AUTHENTICATE_S} s"
            self.refuse(_AUTH_REQUIRED, text)
            self.send_queue.close(CLOSE_REFUSED)

    def _overflow(self) -> None:
        if self._sending is not None:
            self._sending.cancel()

    def _limited(self, message_id: str) -> None:
        """Refuse a frame beyond the limit. Its id counts as used, and the client gets one error a second."""
        if message_id and self.held is not None:
            self._limit.message_ids.append(message_id)
        if self._limit.is_report_due():
            text = f"more than {settings.PUNTO_FRAMES_PER_S} messages a second"
            self.refuse(ProtocolErrorCode.RATE_LIMITED, text, related=message_id)
        if self._limit.is_flood:
            self.send_queue.close(CLOSE_REFUSED)

    async def _limited_note(self) -> None:
        message_ids, self._limit.message_ids = self._limit.message_ids, []
        await messages_take(self.session_id, message_ids)

    async def _used(self, message_id: str) -> None:
        """Store the id of a refused message, because a refused message uses its id too."""
        if message_id and self.held is not None:
            with suppress(DomainError):
                await messages_take(self.session_id, [message_id])

    async def _refuse_used(self, code: ProtocolErrorCode, text: str, message_id: str) -> None:
        await message_take(pool(), self._caller(message_id))
        self.refuse(code, text, related=message_id)

    def _caller(self, message_id: str) -> Caller:
        return Caller(self.session_id, self.socket, message_id)


def _is_other_version(version: object) -> bool:
    return version is not UNSET and version != PROTOCOL_VERSION


_AUTH_REQUIRED: Final = ProtocolErrorCode.AUTH_REQUIRED
_VERSION_TEXT: Final = f"protocolVersion must be {PROTOCOL_VERSION}"
_CODES: Final = {code.value: code for code in ProtocolErrorCode}
