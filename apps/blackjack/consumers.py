"""The socket `/v1/ws`: one message in, one answer out. It has no game state, locks or rules.

The newest connection of a session holds it; older ones get a message and are closed. Announcements (take-over, new
configuration) may be lost: the database itself refuses the older connection.
"""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs
from uuid import uuid4

import msgspec
import structlog
from django.conf import settings
from django.utils import timezone

from apps.blackjack.announce import config_topic
from apps.blackjack.apps import GAME_ID
from apps.blackjack.messages import (
    Authenticated,
    Balance,
    BalanceUpdate,
    EventType,
    GameConfig,
    Inbound,
    MessageError,
    UpdateConfig,
    dealer_pace_read,
    error_text,
    event_id_read,
    inbound_read,
    outbound_write,
)
from apps.blackjack.selectors import open_round_state, session_balance
from apps.blackjack.services import SeatedSession, round_action_take
from apps.core.body_limit import Receive, Scope, Send
from apps.core.client_address import scope_address
from apps.core.errors import AuthenticationFailed, DomainError, RateLimited, SessionTakenOver, Unavailable
from apps.core.message_rate_limit import MessageRateLimit
from apps.core.patterns import CLIENT_SEED_RULE
from apps.core.pubsub import announce, audience
from apps.core.socket_limits import guard_of
from apps.core.threads import in_thread
from apps.fairness.engine import is_client_seed
from apps.rounds.game_sessions import (
    game_session_find,
    game_session_hold,
    game_session_socket_check,
    session_topic,
)
from apps.rounds.outage_watch import play_failure_count

CLOSE_UNAUTHENTICATED: Final = 4000
CLOSE_TAKEN_OVER: Final = 4001
CLOCK_SLACK_S: Final = 1
"""The event loop's clock and the clock of session ends may differ by milliseconds."""

log = structlog.get_logger(__name__)


async def blackjack_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection, as an ASGI application."""
    await BlackjackConsumer(scope, send).run(receive)


class BlackjackConsumer:
    """One connection of a player."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self.send = scope, send
        self.session_id = 0
        self.player_id = 0
        self.socket = uuid4().hex
        self.is_authenticated = False
        self.is_over = False
        self.frames = MessageRateLimit()
        self.topics: tuple[str, ...] = ()
        self.announced: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.holding = asyncio.Lock()
        self.timers: list[asyncio.TimerHandle] = []

    async def run(self, receive: Receive) -> None:
        """Serve the connection: its frames one after another, and announcements beside them."""
        try:
            async with asyncio.TaskGroup() as group:
                hearing = group.create_task(self._hear())
                await receive()  # the handshake
                await self._connect()
                while (message := await receive())["type"] != "websocket.disconnect":
                    await self._frame_take(message.get("text"))
                hearing.cancel()
        finally:
            self.is_over = True
            for timer in self.timers:
                timer.cancel()
            audience.leave(self.topics, self.announced)

    async def _hear(self) -> None:
        """Call the handler of each announcement."""
        while True:
            message = await self.announced.get()
            await getattr(self, message["type"].replace(".", "_"))(message)

    async def _connect(self) -> None:
        await self._send_if_connected({"type": "websocket.accept"})
        self._announce_in(settings.PUNTO_AUTHENTICATE_S, "authentication.due")
        tokens = parse_qs(self.scope["query_string"].decode("latin-1")).get("game_session_id", [""])
        guard = guard_of(self.scope)
        try:
            session = await in_thread(partial(game_session_find, token=tokens[0], game=GAME_ID))
        except DomainError as error:
            if guard is not None and isinstance(error, AuthenticationFailed):
                guard.refused()
            await self._end(error)
            return
        self.session_id, self.player_id, self.currency = session.pk, session.player_id, session.currency_id
        expires_in_s = (session.expires_at - timezone.now()).total_seconds()
        self._announce_in(expires_in_s + CLOCK_SLACK_S, "session.due")
        self.topics = (session_topic(self.session_id), config_topic(session.partner_id, self.currency))
        await audience.join(self.topics, self.announced)

    async def _frame_take(self, text: str | None) -> None:
        """Answer one frame; None is a binary one."""
        if self.is_over or not self.session_id:
            return
        event_id = ""
        try:
            if self.frames.is_over():
                raise RateLimited(f"more than {settings.PUNTO_FRAMES_PER_S} messages a second; try again in a second")
            message = inbound_read(text)
            event_id = message.event_id
            answer = await self._answer(message)
        except AuthenticationFailed as error:
            await self._end(error, event_id)
            return
        except DomainError as error:
            play_failure_count(error)
            answer = error_text(error, event_id=event_id or event_id_read(text))
        except Exception:
            log.exception("socket_message_failed", session=self.session_id)
            play_failure_count()
            # It may have come after the commit; then the same eventId gets the stored answer.
            told = "something went wrong on our side; it may have been done or not: send it again with the same eventId"
            answer = error_text(Unavailable(told), event_id=event_id)
        await self._say(answer)

    async def _answer(self, message: Inbound) -> str:
        if message.event_type is EventType.AUTHENTICATE:
            return await self._authenticate(message)
        if not self.is_authenticated:
            raise MessageError("the first message must be Authenticate", code="CLIENT_NOT_AUTHENTICATED")
        match message.event_type:
            case EventType.ROUND_ACTION:
                return await round_action_take(seated=self.seated, message=message)
            case EventType.ROUND_STATE:
                return await in_thread(partial(self._round_state, message.event_id))
            case EventType.GET_BALANCE:
                currency = message.body.get("currency", self.currency)
                if not isinstance(currency, str):
                    raise MessageError("currency must be a string", code="INVALID_CURRENCY")
                balance = await session_balance(session_id=self.session_id, socket=self.socket, currency_code=currency)
                return outbound_write(BalanceUpdate(message.event_id, Balance(balance, currency)))

    def _round_state(self, event_id: str) -> str:
        """Return the open round if the session is still ours after the read; other reads check this themselves."""
        try:
            return outbound_write(open_round_state(player_id=self.player_id, event_id=event_id))
        finally:
            game_session_socket_check(session_id=self.session_id, connection=self.socket)

    async def _authenticate(self, message: Inbound) -> str:
        pace = dealer_pace_read(message.body)
        client_seed = message.body.get("clientSeed")
        if not (client_seed is None or (isinstance(client_seed, str) and is_client_seed(client_seed))):
            raise MessageError(f"clientSeed must be {CLIENT_SEED_RULE}")
        hold = partial(
            game_session_hold,
            session_id=self.session_id,
            connection=self.socket,
            client_seed=client_seed,
            address=scope_address(self.scope),
        )
        async with self.holding:
            await in_thread(hold)
            self.is_authenticated = True
            self.seated = SeatedSession(self.session_id, self.socket, pace)
        guard = guard_of(self.scope)
        if guard is not None:
            guard.authenticated()
        await announce([session_topic(self.session_id)], {"type": "session.taken", "socket": self.socket})
        return outbound_write(Authenticated(message.event_id))

    async def session_taken(self, message: dict[str, Any]) -> None:
        """Handle the announcement that a connection, perhaps this one, has authenticated with this session."""
        if message["socket"] == self.socket:
            return
        async with self.holding:  # We are taking the session now, so an older announcement does not matter.
            if self.is_authenticated:
                await self._end_unless_held()

    async def session_due(self, _message: dict[str, Any]) -> None:
        """Handle the end of the session's time, as known when the connection opened, or an announced earlier end."""
        if self.is_authenticated:
            await self._end_unless_held()

    async def authentication_due(self, _message: dict[str, Any]) -> None:
        """Handle the end of the time for `Authenticate`."""
        if not self.is_authenticated:
            await self._end(AuthenticationFailed(f"Authenticate did not come within {settings.PUNTO_AUTHENTICATE_S} s"))

    async def config_changed(self, message: dict[str, Any]) -> None:
        """Handle the announcement of new limits, odds or rules."""
        if self.is_authenticated:
            config = msgspec.convert(message["data"], GameConfig)
            await self._say(outbound_write(UpdateConfig(config)))

    def _announce_in(self, seconds: float, kind: str) -> None:
        message = {"type": kind}
        self.timers.append(asyncio.get_running_loop().call_later(seconds, self.announced.put_nowait, message))

    async def _end_unless_held(self) -> None:
        try:
            await in_thread(partial(game_session_socket_check, session_id=self.session_id, connection=self.socket))
        except AuthenticationFailed as error:
            await self._end(error)
        except DomainError as error:
            # The database itself refuses the connection's actions as soon as it answers again.
            log.warning("session_not_checked", error=error.code)

    async def _end(self, error: DomainError, event_id: str = "") -> None:
        """Send the reason and close. Actions still running get no answer."""
        if self.is_over:
            return
        self.is_over = True
        self.is_authenticated = False
        code = CLOSE_TAKEN_OVER if isinstance(error, SessionTakenOver) else CLOSE_UNAUTHENTICATED
        await self._send_if_connected({"type": "websocket.send", "text": error_text(error, event_id=event_id)})
        await self._send_if_connected({"type": "websocket.close", "code": code})

    async def _say(self, text: str) -> None:
        if not self.is_over:
            await self._send_if_connected({"type": "websocket.send", "text": text})

    async def _send_if_connected(self, message: dict[str, Any]) -> None:
        with suppress(OSError):  # ASGI's error for a disconnected client.
            await self.send(message)
