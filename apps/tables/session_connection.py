"""A connection's session: taken at log-in, warned before its end, released when the connection ends.

The connection follows the tables that the session belongs to, in a seat or watching. session_sockets.py looks after
all connections of a process.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

import structlog
from django.conf import settings
from msgspec import UNSET

from apps.core.errors import AuthenticationFailed, DomainError, SessionTakenOver
from apps.core.socket_limits import SocketGuard
from apps.tables.catch_up import table_enter
from apps.tables.errors import AuthExpired
from apps.tables.event_feed import feed, session_announce
from apps.tables.messages import (
    Authenticate,
    ExpiryReason,
    Heartbeat,
    HeartbeatDirection,
    Permissions,
    ProtocolErrorCode,
    Reconnect,
    ServerMessage,
    SessionAuthenticated,
    SessionExpiring,
    SessionExtended,
    WalletBalance,
    error_body,
    message_id_make,
    outbound_body,
)
from apps.tables.send_queue import SendQueue
from apps.tables.services import seat_socket_found
from apps.tables.session_sockets import TAKEN_OVER, SessionSockets, session_seats_drop
from apps.tables.session_store import (
    HeldSession,
    Membership,
    balance_load,
    memberships_load,
    seated_at,
    sequence_block_take,
    session_end,
    session_extend,
    session_hold,
    session_release,
    sessions_look,
)
from apps.tables.sessions import session_token_hash
from apps.tables.table_snapshot import Notice

CLOSE_TAKEN_OVER: Final = 4001
CLOSE_REFUSED: Final = 1008
CLOSE_TRY_LATER: Final = 1013
SEQUENCE_BLOCK: Final = 100_000
PING_S: Final = 30
WARNING_MS: Final = 300_000
"""The time before a session's end at which it is warned."""

log = structlog.get_logger(__name__)


class SessionConnection:
    """One connection, before and after log-in."""

    def __init__(self, sockets: SessionSockets, guard: SocketGuard | None, send_queue: SendQueue) -> None:
        self.session_id = 0
        self.player_id = 0
        self.socket = uuid4().hex
        self.is_active = False
        self.sockets = sockets
        self._guard = guard
        self.send_queue = send_queue
        self._holding: asyncio.Future[HeldSession] | None = None
        self._is_over = False
        self._is_entered = False
        """Whether the connection follows the session's tables already."""
        self.held: HeldSession | None = None
        self._expires_ms = 0
        self._active_at = self._pinged_at = time.monotonic()
        self._warned: set[ExpiryReason] = set()
        self._changes = -1
        self._sequence_end = 0
        self._tables: dict[str, Membership] = {}
        self._syncing = asyncio.Lock()

    async def gone(self) -> None:
        """Release the session after the connection has ended."""
        self.sockets.remove(self)
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
            self.sockets.release_later(self)

    def is_over(self) -> bool:
        """Return whether the connection has ended."""
        return self._is_over

    def notices_take(self, table_id: str, version: int, notices: Sequence[Notice]) -> None:  # noqa: ARG002
        """Take the events of a table."""
        for notice in notices:
            if notice.is_for(self.session_id):
                self.send_queue.put_tail(notice.tail)

    def session_changed(self, changes: int | None) -> None:
        """Read the session's tables again, unless nothing has changed since or they were never read."""
        if self._is_entered and (changes is None or changes != self._changes):
            feed().background(self._refresh())

    def session_lost(self, error: AuthenticationFailed) -> None:
        """Close the connection: the session is over, or bound to another connection."""
        is_taken = isinstance(error, SessionTakenOver)
        self.refuse(ProtocolErrorCode.AUTH_INVALID if is_taken else ProtocolErrorCode.AUTH_EXPIRED, error.message)
        self.send_queue.close(CLOSE_TAKEN_OVER if is_taken else CLOSE_REFUSED)

    def time_passes(self, now: float) -> None:
        """Send pings and warnings when due, end the session in time, and reserve sequence numbers in advance."""
        if now - self._pinged_at >= PING_S:
            self._pinged_at = now
            self.say(Heartbeat(message_id=message_id_make(), direction=HeartbeatDirection.PING))
        now_ms = time.time_ns() // 1_000_000
        idle_ms = int((settings.PUNTO_TABLE_IDLE_S - (now - self._active_at)) * 1000)
        self._warn(ExpiryReason.LIFETIME, now_ms, self._expires_ms - now_ms)
        self._warn(ExpiryReason.INACTIVITY, now_ms, idle_ms)
        if idle_ms <= 0 or now_ms >= self._expires_ms:
            feed().background(self._expire())
        sequence = self.send_queue.sequence
        if sequence is not None and self._sequence_end - sequence < SEQUENCE_BLOCK // 2:
            self._sequence_end += SEQUENCE_BLOCK
            feed().background(self._block_take())

    async def log_in(self, message: Authenticate | Reconnect) -> None:
        """Take the session of a token and enter its tables, or send the reason of the refusal."""
        last_seen = message.last_seen_message_id if isinstance(message, Reconnect) else UNSET
        # This completes even if the client goes away meanwhile; then `gone` releases the session.
        self._holding = asyncio.ensure_future(
            session_hold(
                token_hash=session_token_hash(message.token),
                session_id=_uuid_text(message.session_id) if isinstance(message, Reconnect) else None,
                message_id=message.message_id,
                socket=self.socket,
                server=self.sockets.server,
                block=SEQUENCE_BLOCK,
            )
        )
        held = await asyncio.shield(self._holding)
        if held.outcome != "held":
            self._log_in_refuse(held.outcome, message.message_id)
            return
        try:
            await self._enter(held, isinstance(message, Reconnect), None if last_seen is UNSET else last_seen.lower())
        except DomainError as error:
            # A client would not notice that it misses some of its tables; a closed connection makes it reconnect.
            self.refuse(ProtocolErrorCode.INTERNAL_ERROR, error.message, related=message.message_id)
            self.send_queue.close(CLOSE_TRY_LATER)

    async def _enter(self, held: HeldSession, is_back: bool, last_seen: str | None) -> None:
        self.held, self.session_id, self.player_id = held, held.id, held.player_id
        self._expires_ms = held.expires_ms
        self._active_at = time.monotonic()
        self.send_queue.sequence, self._sequence_end = held.sequence, held.sequence + SEQUENCE_BLOCK
        if self._guard is not None:
            self._guard.authenticated()
        self.sockets.add(self)
        await session_announce(held.id)
        await self._authenticated_say(held)
        for table_id in await seated_at(held.id):
            await seat_socket_found(table_id=table_id, player_id=held.player_id)
        await self._sync(is_back=is_back, last_seen=last_seen)
        self._changes = held.changes
        self._is_entered = True

    async def membership(self, table_id: str) -> Membership | None:
        """Return the session's membership of a table. If unknown, it is read: another process may have added it."""
        table_id = table_id.lower()
        if table_id not in self._tables:
            await self._sync()
        return self._tables.get(table_id)

    async def extend(self) -> None:
        """Extend the session to its full time from now."""
        self._expires_ms = await session_extend(session_id=self.session_id, socket=self.socket)
        self._warned.discard(ExpiryReason.LIFETIME)
        self.say(SessionExtended(message_id=message_id_make(), expires_at=self._expires_ms))

    def activity_note(self) -> None:
        """Note the arrival of a message."""
        self._active_at = time.monotonic()
        self.is_active = True
        self._warned.discard(ExpiryReason.INACTIVITY)

    def ended(self) -> None:
        """Note that the connection has ended."""
        self._is_over = True

    def _log_in_refuse(self, outcome: str, message_id: str) -> None:
        """Send the reason of the refusal. The socket stays open until the time for the log-in is over."""
        if outcome == "used":
            self.refuse(ProtocolErrorCode.DUPLICATE_MESSAGE, "this messageId was used before", related=message_id)
            return
        if self._guard is not None:
            self._guard.refused()
        if outcome == "expired":
            self.refuse(ProtocolErrorCode.AUTH_EXPIRED, "the session is over", related=message_id)
        else:
            self.refuse(ProtocolErrorCode.AUTH_INVALID, "no session has this token", related=message_id)

    async def _authenticated_say(self, held: HeldSession) -> None:
        available, locked = await balance_load(held.id)
        self.say(
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
        """Follow the tables that the session belongs to, and no other."""
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
                        put=self.send_queue.put_tail,
                        last_seen=last_seen,
                        is_back=is_back,
                    )
            if self._is_over:
                feed().detach_all(self)

    async def _refresh(self) -> None:
        """Read whether this connection still has the session, and which tables the session follows."""
        try:
            rows = await sessions_look({self.session_id: self.socket})
            for _, changes, is_live, is_held in rows:
                if not is_live:
                    self.session_lost(AuthExpired("the session is over"))
                elif not is_held and not await self.sockets.retake(self):
                    self.session_lost(SessionTakenOver(TAKEN_OVER))
                else:
                    await self._sync()
                    self._changes = changes
        except DomainError as error:
            log.warning("session_not_read", session=self.session_id, error=error.code)

    async def _expire(self) -> None:
        """End the session, unless another process has extended it without this connection's knowledge."""
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
            self.say(SessionExpiring(message_id=message_id_make(), expires_at=now_ms + left_ms, reason=reason))

    def refuse(self, code: ProtocolErrorCode, text: str, *, related: str = "") -> None:
        """Send an `error`."""
        self.send_queue.put(error_body(code, text, related=related))

    def say(self, message: ServerMessage) -> None:
        """Send a message."""
        self.send_queue.put(outbound_body(message))


def _uuid_text(text: str) -> str:
    """Return the text as a UUID; for any other text, a UUID that no session has."""
    try:
        return str(UUID(text))
    except ValueError:
        return str(UUID(int=0))
