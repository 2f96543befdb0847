"""The sockets of this process, each session's newest one, and the periodic work for all sessions at tables.

session_connection.py is one connection. event_feed.py delivers the events of tables, also to the sockets of other
processes.

A process stores every few seconds that it is alive. If it stops doing so, its sessions have lost their sockets. Every
process looks for such sessions, and for sessions whose time is over.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, Protocol
from uuid import uuid4
from weakref import WeakKeyDictionary

import structlog

from apps.core.errors import AuthenticationFailed, Busy, DomainError, SessionTakenOver
from apps.tables.deadlines import deadlines_run
from apps.tables.errors import AuthExpired
from apps.tables.event_feed import feed
from apps.tables.services import seat_socket_found, seat_socket_lost, session_seats_leave
from apps.tables.session_store import (
    seated_at,
    server_seen,
    session_retake,
    sessions_drop_lost,
    sessions_end_lapsed,
    sessions_ended_seated,
    sessions_look,
)

LOOK_S: Final = 1
PRESENCE_S: Final = 5
DEAD_AFTER_S: Final = 20
"""A process counts as dead after this time; one that was paused for less keeps its sockets."""
IDLE_SLACK_S: Final = 30
TAKEN_OVER: Final = "taken over: the session is open on another connection"

log = structlog.get_logger(__name__)


class SessionSocket(Protocol):
    """A socket that holds a session."""

    session_id: int
    socket: str
    player_id: int
    is_active: bool
    """Whether a message has arrived since `SessionSockets` last reset this."""

    def is_over(self) -> bool:
        """Return whether the connection has ended."""

    def session_changed(self, changes: int | None) -> None: ...

    def session_lost(self, error: AuthenticationFailed) -> None: ...

    def time_passes(self, now: float) -> None: ...

    async def gone(self) -> None: ...


class SessionSockets:
    """The sockets of one event loop: for each session its newest one."""

    def __init__(self) -> None:
        self.server = str(uuid4())
        """This process's id, on the wire too."""
        self._sockets: dict[int, SessionSocket] = {}
        self._unreleased: list[SessionSocket] = []
        self._is_running = False

    def start(self) -> None:
        """Start the periodic work for sockets, tables and deadlines, until the event loop ends."""
        if self._is_running:
            return
        self._is_running = True
        feed().start(self)
        feed().background(deadlines_run(feed().is_seen))
        feed().background(self._every(LOOK_S, self._look))
        feed().background(self._every(PRESENCE_S, self._presence))

    def add(self, socket: SessionSocket) -> None:
        """Register a socket that has just got its session; an older socket of the session in this process is closed."""
        former = self._sockets.get(socket.session_id)
        self._sockets[socket.session_id] = socket
        if former is not None:
            former.session_lost(SessionTakenOver(TAKEN_OVER))

    def remove(self, socket: SessionSocket) -> None:
        """Forget a socket."""
        if self._sockets.get(socket.session_id) is socket:
            del self._sockets[socket.session_id]

    def release_later(self, socket: SessionSocket) -> None:
        """Release a socket's session as soon as the database answers."""
        self._unreleased.append(socket)

    def session_changed(self, session_id: int) -> None:
        """Make a session's socket read its tables again, if this process has it."""
        socket = self._sockets.get(session_id)
        if socket is not None:
            socket.session_changed(None)

    async def retake(self, socket: SessionSocket) -> bool:
        """Return a session to its socket if no other socket has it. This process was considered dead."""
        if socket.is_over():
            return True  # its own `gone` releases the session
        if not await session_retake(session_id=socket.session_id, socket=socket.socket, server=self.server):
            return False
        if socket.is_over():
            feed().background(socket.gone())
            return True
        for table_id in await seated_at(socket.session_id):
            await seat_socket_found(table_id=table_id, player_id=socket.player_id)
        return True

    async def _every(self, pause_s: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(pause_s)
            try:
                await work()
            except DomainError as error:
                log.warning("periodic_work_failed", error=error.code)
            except Exception:
                log.exception("periodic_work_failed")

    async def _look(self) -> None:
        """Run the timed work of each socket, and find changes of sessions whose announcement was lost."""
        now = time.monotonic()
        for socket in list(self._sockets.values()):
            socket.time_passes(now)
        sockets = dict(self._sockets)
        if not sockets:
            return
        rows = await sessions_look({session_id: socket.socket for session_id, socket in sockets.items()})
        for session_id, changes, is_live, is_held in rows:
            socket = sockets[session_id]
            if not is_live:
                socket.session_lost(AuthExpired("the session is over"))
            elif not is_held and not await self.retake(socket):
                socket.session_lost(SessionTakenOver(TAKEN_OVER))
            else:
                socket.session_changed(changes)

    async def _presence(self) -> None:
        """Store that this process is alive, and sweep the sessions of dead processes and those whose time is over."""
        active = []
        for session_id, socket in self._sockets.items():
            if socket.is_active:
                socket.is_active = False
                active.append(session_id)
        await server_seen(self.server, active=active)
        unreleased, self._unreleased = self._unreleased, []
        for socket in unreleased:
            feed().background(socket.gone())
        await sessions_sweep()


async def sessions_sweep() -> None:
    """Release the sessions of dead processes, end sessions whose time is over, and free the seats of ended sessions."""
    for session_id, player_id in await sessions_drop_lost(dead_after_s=DEAD_AFTER_S):
        await session_seats_drop(player_id, await seated_at(session_id))
    await sessions_end_lapsed(idle_slack_s=IDLE_SLACK_S)
    for session_id in await sessions_ended_seated():
        try:
            await session_seats_leave(session_id=session_id)
        except Busy as error:
            log.info("seat_not_left_yet", session=session_id, error=error.code)
        except DomainError as error:
            log.warning("seat_not_left", session=session_id, error=error.code)
        except Exception:
            # A table that fails must not keep the seats of others.
            log.exception("seat_not_left", session=session_id)


async def session_seats_drop(player_id: int, table_ids: list[str]) -> None:
    """Start the delay at each table after which the player's seat is freed."""
    for table_id in table_ids:
        try:
            await seat_socket_lost(table_id=table_id, player_id=player_id)
        except DomainError as error:
            # The session, which has no socket, ends later and then leaves its seats.
            log.warning("seat_not_dropped", table=table_id, error=error.code)


def session_sockets() -> SessionSockets:
    """Return the sockets of the running event loop."""
    loop = asyncio.get_running_loop()
    held = _by_loop.get(loop)
    if held is None:
        held = _by_loop[loop] = SessionSockets()
    return held


_by_loop: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, SessionSockets]] = WeakKeyDictionary()
