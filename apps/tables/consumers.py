"""The socket `/ws/tables`: parses what comes, calls one service, and says what tables tell. It knows no rule.

A socket sees the tables that its session belongs to, in a seat or watching. What is told goes through its outbox, so
nobody waits for a client that does not read.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from django.conf import settings
from msgspec import UNSET

from apps.core.errors import AuthenticationFailed, DomainError, SessionTakenOver, TryLater
from apps.core.pool import pool
from apps.core.sockets import SocketGuard, guard_of
from apps.rounds.table_game import GameCode, PayloadInvalid
from apps.tables.engine.state import Refusal
from apps.tables.errors import AuthExpired, TableNotFound
from apps.tables.feed import feed, session_announce
from apps.tables.frame_limit import FrameLimit
from apps.tables.messages import (
    PROTOCOL_VERSION,
    Ack,
    Authenticate,
    BalanceQuery,
    BalanceResponse,
    Capabilities,
    ClientHeartbeat,
    ClientMessage,
    ExpiryReason,
    GameErrorCode,
    Heartbeat,
    HeartbeatDirection,
    Hello,
    InvalidMessage,
    NotAMessage,
    Permissions,
    ProtocolErrorCode,
    Reconnect,
    ServerMessage,
    SessionAuthenticated,
    SessionExpiring,
    SessionExtend,
    SessionExtended,
    SubmitAction,
    UnknownMessage,
    WalletBalance,
    error_body,
    game_error_body,
    inbound_read,
    message_id_make,
    outbound_body,
)
from apps.tables.outbox import Outbox
from apps.tables.registry import table_game_of, table_games
from apps.tables.services import seat_socket_found, table_action_take
from apps.tables.session_store import (
    HeldSession,
    Membership,
    balance_load,
    memberships_load,
    message_take,
    messages_take,
    seated_at,
    sequence_block_take,
    session_end,
    session_extend,
    session_hold,
    session_release,
    sessions_look,
)
from apps.tables.sessions import session_token_hash
from apps.tables.snapshot import Caller, Notice
from apps.tables.socket_hub import TAKEN_OVER, SocketHub, session_seats_drop, socket_hub
from apps.tables.store import MessageUsed
from apps.tables.table_states import table_enter

CLOSE_TAKEN_OVER: Final = 4001
CLOSE_REFUSED: Final = 1008
MOST_UNREADABLE: Final = 3
"""Frames in a row that are no JSON object, before the connection is closed."""
SEQUENCE_BLOCK: Final = 100_000
PING_S: Final = 30
WARNING_MS: Final = 300_000
"""How long before its end a session is told of it."""

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

log = structlog.get_logger(__name__)


async def tables_socket(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Serve one connection, as an ASGI application."""
    await receive()  # the handshake
    await send({"type": "websocket.accept"})
    hub = socket_hub()
    hub.start()
    connection = TablesConnection(hub, guard_of(scope), send)
    try:
        await connection.run(receive)
    finally:
        feed().background(connection.gone())


class TablesConnection:
    """One connection, before its log-in and after."""

    def __init__(self, hub: SocketHub, guard: SocketGuard | None, send: Send) -> None:
        self.session_id = 0
        self.player_id = 0
        self.socket = uuid4().hex
        self.is_active = False
        self._hub = hub
        self._guard = guard
        self._outbox = Outbox(send, self._overflow)
        self._holding: asyncio.Future[HeldSession] | None = None
        self._is_over = False
        self._is_entered = False
        """Whether the tables of the session have been entered."""
        self._limit = FrameLimit()
        self._held: HeldSession | None = None
        self._expires_ms = 0
        self._active_at = self._pinged_at = time.monotonic()
        self._warned: set[ExpiryReason] = set()
        self._unreadable = 0
        self._changes = -1
        self._sequence_end = 0
        self._tables: dict[str, Membership] = {}
        self._syncing = asyncio.Lock()

    async def run(self, receive: Receive) -> None:
        """Read and send until either ends."""
        self._say(
            Hello(
                message_id=message_id_make(),
                server_id=self._hub.server,
                supported_games=list(table_games()),
                capabilities=Capabilities(),
            )
        )
        timer = asyncio.get_running_loop().call_later(settings.PUNTO_AUTHENTICATE_S, self._log_in_due)
        self._sending = asyncio.ensure_future(self._outbox.run())
        tasks = {self._sending, asyncio.ensure_future(self._read(receive))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_over = True
            timer.cancel()
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, OSError):
                    log.error("tables_socket_failed", exc_info=result)

    async def gone(self) -> None:
        """See to the session when the connection has ended."""
        self._hub.remove(self)
        feed().detach_all(self)
        if self._holding is None:
            return
        try:
            held = await self._holding
            if held.outcome != "held":
                return
            self.session_id, self.player_id = held.id, held.player_id
            tables = await session_release(session_id=self.session_id, socket=self.socket)
            await session_seats_drop(self.player_id, tables)
        except DomainError as error:
            log.warning("session_not_released", session=self.session_id, error=error.code)
            self._hub.release_later(self)

    # What the hub and the feed call

    def is_over(self) -> bool:
        """Say whether the connection has ended."""
        return self._is_over

    def notices_take(self, table_id: str, version: int, notices: Sequence[Notice]) -> None:  # noqa: ARG002
        """Take what a table tells."""
        for notice in notices:
            if notice.is_for(self.session_id):
                self._outbox.put_tail(notice.tail)

    def session_changed(self, changes: int | None) -> None:
        """Read again what the session sees, unless nothing has changed since, or it has yet to be read at all."""
        if self._is_entered and (changes is None or changes != self._changes):
            feed().background(self._refresh())

    def session_lost(self, error: AuthenticationFailed) -> None:
        """End: the session is over, or another connection has it."""
        is_taken = isinstance(error, SessionTakenOver)
        self._refuse(ProtocolErrorCode.AUTH_INVALID if is_taken else ProtocolErrorCode.AUTH_EXPIRED, error.message)
        self._outbox.close(CLOSE_TAKEN_OVER if is_taken else CLOSE_REFUSED)

    def time_passes(self, now: float) -> None:
        """Ping, warn and end as the time has come, and have sequence numbers in store."""
        if now - self._pinged_at >= PING_S:
            self._pinged_at = now
            self._say(Heartbeat(message_id=message_id_make(), direction=HeartbeatDirection.PING))
        now_ms = time.time_ns() // 1_000_000
        idle_ms = int((settings.PUNTO_TABLE_IDLE_S - (now - self._active_at)) * 1000)
        self._warn(ExpiryReason.LIFETIME, now_ms, self._expires_ms - now_ms)
        self._warn(ExpiryReason.INACTIVITY, now_ms, idle_ms)
        if idle_ms <= 0 or now_ms >= self._expires_ms:
            feed().background(self._expire())
        sequence = self._outbox.sequence
        if sequence is not None and self._sequence_end - sequence < SEQUENCE_BLOCK // 2:
            self._sequence_end += SEQUENCE_BLOCK
            feed().background(self._block_take())

    # Frames

    async def _read(self, receive: Receive) -> None:
        while True:
            frame = await receive()
            if frame["type"] == "websocket.disconnect":
                return
            if not self._outbox.is_closing:
                await self._frame_take(frame.get("text"))

    async def _frame_take(self, text: str | None) -> None:
        """Answer one frame, whatever it is."""
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
            self._refuse(ProtocolErrorCode.INVALID_MESSAGE, error.message)
            if self._unreadable >= MOST_UNREADABLE:
                self._outbox.close(CLOSE_REFUSED)
        except InvalidMessage as error:
            self._unreadable = 0
            await self._used(error.message_id)
            code = ProtocolErrorCode.INVALID_MESSAGE
            self._refuse(code, error.message, related=error.message_id)
        except MessageUsed as error:
            self._refuse(ProtocolErrorCode.DUPLICATE_MESSAGE, str(error), related=message_id)
        except AuthenticationFailed as error:
            self.session_lost(error)
        except DomainError as error:
            if not isinstance(error, TryLater):
                await self._used(message_id)
            self._refuse(_CODES.get(error.code, ProtocolErrorCode.INTERNAL_ERROR), error.message, related=message_id)
        except Exception:
            log.exception("tables_message_failed", session=self.session_id)
            text = "something went wrong on our side"
            self._refuse(ProtocolErrorCode.INTERNAL_ERROR, text, related=message_id)

    async def _message_take(self, message: ClientMessage | UnknownMessage) -> None:
        if self._held is None:
            await self._log_in(message)
            return
        self._active_at = time.monotonic()
        self.is_active = True
        self._warned.discard(ExpiryReason.INACTIVITY)
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
                await self._answer(message)

    async def _answer(self, message: ClientMessage) -> None:
        match message:
            case ClientHeartbeat():
                if message.direction is HeartbeatDirection.PING:
                    self._say(Heartbeat(message_id=message_id_make(), direction=HeartbeatDirection.PONG))
            case BalanceQuery():
                available, locked = await balance_load(self.session_id)
                self._say(
                    BalanceResponse(
                        message_id=message_id_make(),
                        available=available,
                        locked=locked,
                        total=available + locked,
                        currency=self._session.currency,
                    )
                )
            case SessionExtend():
                self._expires_ms = await session_extend(session_id=self.session_id, socket=self.socket)
                self._warned.discard(ExpiryReason.LIFETIME)
                self._say(SessionExtended(message_id=message_id_make(), expires_at=self._expires_ms))

    async def _act(self, message: SubmitAction) -> None:
        """Carry out an action at a table that the session belongs to."""
        if _is_other_version(message.protocol_version):
            await self._refuse_used(ProtocolErrorCode.VERSION_UNSUPPORTED, _VERSION_TEXT, message.message_id)
            return
        table_game_of(message.game_type)
        membership = await self._membership(message.table_id)
        if membership is None or membership.game_type != message.game_type:
            raise TableNotFound("the session belongs to no such table")
        table_id, message_id = membership.table_id, message.message_id

        def answer(refusal: Refusal | None, again: Sequence[Notice]) -> None:
            if refusal is None:
                self._say(Ack(message_id=message_id_make(), related_message_id=message_id))
            else:
                self._action_refuse(refusal, membership, message_id)
            for notice in again:
                if notice.is_for(self.session_id):
                    self._outbox.put_tail(notice.tail)

        try:
            await table_action_take(
                caller=self._caller(message_id), table_id=table_id, payload=message.payload, answer=answer
            )
        except PayloadInvalid as error:
            raise InvalidMessage(str(error), message_id=message_id) from error

    def _action_refuse(self, refusal: Refusal, membership: Membership, message_id: str) -> None:
        if refusal.code is GameCode.INSUFFICIENT_BALANCE:
            self._refuse(ProtocolErrorCode.INSUFFICIENT_BALANCE, refusal.message, related=message_id)
            return
        self._outbox.put(
            game_error_body(
                GameErrorCode(refusal.code.value),
                refusal.message,
                game_type=membership.game_type,
                table_id=membership.table_id,
                related=message_id,
            )
        )

    async def _membership(self, table_id: str) -> Membership | None:
        """Return the table, as the session sees it; a seat may have been taken a moment ago by another process."""
        table_id = table_id.lower()
        if table_id not in self._tables:
            await self._sync()
        return self._tables.get(table_id)

    # The session

    async def _log_in(self, message: ClientMessage | UnknownMessage) -> None:
        if not isinstance(message, Authenticate | Reconnect):
            self._refuse(
                ProtocolErrorCode.AUTH_REQUIRED,
                "the first message is authenticate or reconnect",
                related=message.message_id,
            )
            return
        if _is_other_version(message.protocol_version):
            self._refuse(ProtocolErrorCode.VERSION_UNSUPPORTED, _VERSION_TEXT, related=message.message_id)
            return
        is_back = isinstance(message, Reconnect)
        # It goes on if the client goes away meanwhile: then `gone` gives the session back.
        self._holding = asyncio.ensure_future(
            session_hold(
                token_hash=session_token_hash(message.token),
                session_id=_uuid_text(message.session_id) if isinstance(message, Reconnect) else None,
                message_id=message.message_id,
                socket=self.socket,
                server=self._hub.server,
                block=SEQUENCE_BLOCK,
            )
        )
        held = await asyncio.shield(self._holding)
        if held.outcome != "held":
            self._log_in_refuse(held.outcome, message.message_id)
            return
        self._held, self.session_id, self.player_id = held, held.id, held.player_id
        self._expires_ms = held.expires_ms
        self._active_at = time.monotonic()
        self._outbox.sequence, self._sequence_end = held.sequence, held.sequence + SEQUENCE_BLOCK
        if self._guard is not None:
            self._guard.authenticated()
        self._hub.add(self)
        await session_announce(held.id)
        await self._authenticated_say(held)
        for table_id in await seated_at(held.id):
            await seat_socket_found(table_id=table_id, player_id=held.player_id)
        last_seen = message.last_seen_message_id if isinstance(message, Reconnect) else UNSET
        await self._sync(is_back=is_back, last_seen=None if last_seen is UNSET else last_seen.lower())
        self._changes = held.changes
        self._is_entered = True

    def _log_in_refuse(self, outcome: str, message_id: str) -> None:
        """Say why. The socket stays open until the time for the log-in is over."""
        if outcome == "used":
            self._refuse(ProtocolErrorCode.DUPLICATE_MESSAGE, "this messageId was used before", related=message_id)
            return
        if self._guard is not None:
            self._guard.refused()
        if outcome == "expired":
            self._refuse(ProtocolErrorCode.AUTH_EXPIRED, "the session is over", related=message_id)
        else:
            self._refuse(ProtocolErrorCode.AUTH_INVALID, "no session has this token", related=message_id)

    async def _authenticated_say(self, held: HeldSession) -> None:
        available, locked = await balance_load(held.id)
        self._say(
            SessionAuthenticated(
                message_id=message_id_make(),
                player_id=str(held.public_id),
                session_id=str(held.session_id),
                expires_at=held.expires_ms,
                balance=WalletBalance(available, locked, held.currency),
                permissions=Permissions(held.allowed_games, held.max_stake, None),
            )
        )

    async def _sync(self, *, is_back: bool = False, last_seen: str | None = None) -> None:
        """See the tables that the session belongs to, and no other."""
        async with self._syncing:
            memberships = {member.table_id: member for member in await memberships_load(self.session_id)}
            for table_id in self._tables.keys() - memberships.keys():
                feed().detach(table_id, self)
                del self._tables[table_id]
            for table_id, membership in memberships.items():
                is_new = table_id not in self._tables
                self._tables[table_id] = membership
                if is_new:
                    await table_enter(
                        membership,
                        session_id=self.session_id,
                        listener=self,
                        put=self._outbox.put_tail,
                        last_seen=last_seen,
                        is_back=is_back,
                    )
            if self._is_over:
                feed().detach_all(self)

    async def _refresh(self) -> None:
        """Find out whether the session is still this connection's, and which tables it sees."""
        try:
            rows = await sessions_look({self.session_id: self.socket})
            for _, changes, is_live, is_held in rows:
                if not is_live:
                    self.session_lost(AuthExpired("the session is over"))
                elif not is_held and not await self._hub.retake(self):
                    self.session_lost(SessionTakenOver(TAKEN_OVER))
                else:
                    await self._sync()
                    self._changes = changes
        except DomainError as error:
            log.warning("session_not_read", session=self.session_id, error=error.code)

    async def _expire(self) -> None:
        """End the session, unless it was extended elsewhere: then only this connection did not know."""
        try:
            await session_end(self.session_id)
        except DomainError as error:
            log.warning("session_not_ended", session=self.session_id, error=error.code)
            return
        self.session_lost(AuthExpired("the session is over"))

    async def _block_take(self) -> None:
        try:
            await sequence_block_take(session_id=self.session_id, socket=self.socket, block=SEQUENCE_BLOCK)
        except DomainError as error:
            log.warning("sequence_not_reserved", session=self.session_id, error=error.code)
            self._sequence_end -= SEQUENCE_BLOCK

    def _warn(self, reason: ExpiryReason, now_ms: int, left_ms: int) -> None:
        if left_ms <= WARNING_MS + 1000 and reason not in self._warned:
            self._warned.add(reason)
            self._say(SessionExpiring(message_id=message_id_make(), expires_at=now_ms + left_ms, reason=reason))

    def _overflow(self) -> None:
        self._sending.cancel()

    def _log_in_due(self) -> None:
        if self._held is None:
            text = f"authenticate did not come within {settings.PUNTO_AUTHENTICATE_S} s"
            self._refuse(ProtocolErrorCode.AUTH_REQUIRED, text)
            self._outbox.close(CLOSE_REFUSED)

    # Limits, refusals

    def _limited(self, message_id: str) -> None:
        """Refuse a frame beyond the limit: its id is used, and the client is told once a second."""
        if message_id and self._held is not None:
            self._limit.message_ids.append(message_id)
        if self._limit.is_to_be_told():
            text = f"more than {settings.PUNTO_FRAMES_PER_S} messages a second"
            self._refuse(ProtocolErrorCode.RATE_LIMITED, text, related=message_id)
        if self._limit.is_flood:
            self._outbox.close(CLOSE_REFUSED)

    async def _limited_note(self) -> None:
        message_ids, self._limit.message_ids = self._limit.message_ids, []
        await messages_take(self.session_id, message_ids)

    async def _used(self, message_id: str) -> None:
        """Note the id of a message that was refused: it is used all the same."""
        if message_id and self._held is not None:
            with suppress(DomainError):
                await messages_take(self.session_id, [message_id])

    async def _refuse_used(self, code: ProtocolErrorCode, text: str, message_id: str) -> None:
        await message_take(pool(), self._caller(message_id))
        self._refuse(code, text, related=message_id)

    def _refuse(self, code: ProtocolErrorCode, text: str, *, related: str = "") -> None:
        self._outbox.put(error_body(code, text, related=related))

    def _say(self, message: ServerMessage) -> None:
        self._outbox.put(outbound_body(message))

    def _caller(self, message_id: str) -> Caller:
        return Caller(self.session_id, self.socket, message_id)

    @property
    def _session(self) -> HeldSession:
        assert self._held is not None
        return self._held


def _is_other_version(version: object) -> bool:
    return version is not UNSET and version != PROTOCOL_VERSION


def _uuid_text(text: str) -> str:
    """Return the text as a UUID; one that is none is nobody's."""
    try:
        return str(UUID(text))
    except ValueError:
        return str(UUID(int=0))


_VERSION_TEXT: Final = f"protocolVersion must be {PROTOCOL_VERSION}"
_CODES: Final = {code.value: code for code in ProtocolErrorCode}
