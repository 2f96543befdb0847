"""Delivers the events of tables to the sockets of this process: in order, each once, without gaps.

The process that has written a change delivers it to its own sockets. If other processes follow the table, it announces
the change to them through Redis; each process tells the others which tables it follows. Announcements may be lost. A
process finds a gap by the version of the next change, and compares the versions of all its tables with PostgreSQL once
a second. It reads missing changes from PostgreSQL. So while Redis is away the changes of other processes arrive a
second later.
"""

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Final, Protocol
from uuid import uuid4
from weakref import WeakKeyDictionary

import structlog

from apps.core.errors import DomainError
from apps.core.postgres_pool import pool
from apps.core.pubsub import announce, audience
from apps.tables.store import events_load, versions_load
from apps.tables.table_snapshot import Delivery, Notice

TOPIC: Final = "tables"
LOOK_S: Final = 1
"""The pause between two comparisons of versions."""
ANNOUNCE_S: Final = 20
"""The pause between two announcements of all tables that a process follows."""
FOLLOWED_S: Final = 60
"""Seconds for which a table counts as followed by another process after that process has said so."""
MAX_UNANNOUNCED: Final = 1_000
"""The most announcements that wait while Redis is slow. Comparing versions finds the changes of dropped ones."""

log = structlog.get_logger(__name__)


class TableListener(Protocol):
    """A socket that follows a table. It takes events without waiting."""

    def notices_take(self, table_id: str, version: int, notices: Sequence[Notice]) -> None: ...


class SessionListener(Protocol):
    """A listener to changes of sessions."""

    def session_changed(self, session_id: int) -> None: ...


class TableFeed:
    """The tables that sockets of this process follow. Each event loop has a feed of its own."""

    def __init__(self) -> None:
        self._id = str(uuid4())
        self._tables: dict[str, _FedTable] = {}
        self._elsewhere: dict[str, float] = {}
        """The tables that another process follows, each with the monotonic time until which that is certain."""
        self._sessions: SessionListener | None = None
        self._announcements: deque[dict[str, Any]] = deque(maxlen=MAX_UNANNOUNCED)
        self._is_due = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, sessions: SessionListener) -> None:
        """Start to read announcements and to compare versions, until the event loop ends."""
        self._sessions = sessions
        self.background(self._join())
        self.background(self._announce_all())
        self.background(self._look())
        self.background(self._followed_announce_all())

    def attach(self, table_id: str, listener: TableListener, *, game_type: str, version: int) -> bool:
        """Deliver the changes after `version` to the listener. False: some were delivered already, so the caller reads
        again."""
        table = self._tables.get(table_id)
        if table is None:
            table = self._tables[table_id] = _FedTable(table_id, game_type, version)
            self._followed_announce([table_id])
        if table.version > version:
            return False
        table.listeners[listener] = version
        return True

    def detach_all(self, listener: TableListener) -> None:
        """Undo every `attach` of the listener."""
        for table_id in [table_id for table_id, table in self._tables.items() if listener in table.listeners]:
            self.detach(table_id, listener)

    def detach(self, table_id: str, listener: TableListener) -> None:
        """Undo `attach`."""
        table = self._tables.get(table_id)
        if table is not None:
            table.listeners.pop(listener, None)
            if not table.listeners:
                del self._tables[table_id]

    def is_seen(self, table_id: str) -> bool:
        """Return whether sockets of this process follow the table."""
        return table_id in self._tables

    def version_of(self, table_id: str) -> int:
        """Return the version that was delivered last, or -1 for a table that no socket of this process follows."""
        table = self._tables.get(table_id)
        return -1 if table is None else table.version

    def deliver(self, delivery: Delivery) -> None:
        """Deliver to this process's sockets, now or as soon as the changes before it have been read."""
        table = self._tables.get(delivery.table_id)
        if table is None or delivery.version <= table.version:
            return
        if delivery.version == table.version + 1:
            table.tell(delivery)
        else:
            self._fill_soon(table)

    def announce_change(self, delivery: Delivery) -> None:
        """Announce a change to the other processes, without waiting, if one of them follows the table."""
        until = self._elsewhere.get(delivery.table_id)
        if until is None:
            return
        if until > time.monotonic():
            self.announce_soon(_change_message(delivery))
        else:
            del self._elsewhere[delivery.table_id]

    def announce_soon(self, message: dict[str, Any]) -> None:
        """Announce to the other processes, in order, without waiting."""
        self._announcements.append(message)
        self._is_due.set()

    def put_nowait(self, item: dict[str, Any], /) -> None:
        """Take an announcement."""
        match item["type"]:
            case "table.changed":
                notices = [Notice(recipient, excluded, tail) for recipient, excluded, tail in item["notices"]]
                self.deliver(Delivery(item["table"], item["version"], notices))
            case "table.followed":
                if item["process"] != self._id:
                    self._followed(item["tables"])
            case "table.versions":
                self._compared(item["versions"].items())
            case "table.asked":
                if item["process"] != self._id:
                    self._followed_announce(list(self._tables))
            case _:
                if self._sessions is not None:
                    self._sessions.session_changed(item["session"])

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work as a task, and keep a reference to it, because asyncio keeps none."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self) -> None:
        """Listen to announcements, and ask the other processes which tables they follow."""
        await audience.join([TOPIC], self)
        self.announce_soon({"type": "table.asked", "process": self._id})

    def _followed_announce(self, table_ids: Sequence[str]) -> None:
        """Tell the other processes that this one follows tables."""
        if table_ids:
            self.announce_soon({"type": "table.followed", "process": self._id, "tables": table_ids})

    async def _followed_announce_all(self) -> None:
        """Tell the other processes again and again, because announcements may be lost, until cancelled."""
        while True:
            await asyncio.sleep(ANNOUNCE_S)
            self._followed_announce(list(self._tables))
            now = time.monotonic()
            self._elsewhere = {table_id: until for table_id, until in self._elsewhere.items() if until > now}

    def _followed(self, table_ids: Sequence[str]) -> None:
        """Note that another process follows tables. If that was unknown here, the process may have missed the last
        changes."""
        versions = {
            table_id: self._tables[table_id].version
            for table_id in table_ids
            if table_id not in self._elsewhere and table_id in self._tables
        }
        self._elsewhere |= dict.fromkeys(table_ids, time.monotonic() + FOLLOWED_S)
        if versions:
            self.announce_soon({"type": "table.versions", "versions": versions})

    async def _announce_all(self) -> None:
        while True:
            await self._is_due.wait()
            self._is_due.clear()
            while self._announcements:
                await announce([TOPIC], self._announcements.popleft())

    async def _look(self) -> None:
        """Compare versions until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self._versions_compare()
            except DomainError as error:
                log.warning("tables_not_compared", error=error.code)
            except Exception:
                log.exception("tables_not_compared")

    async def _versions_compare(self) -> None:
        if not self._tables:
            return
        # The process that made the missed changes may not know that this process follows the tables.
        self._followed_announce(self._compared((await versions_load(pool(), list(self._tables))).items()))

    def _compared(self, versions: Iterable[tuple[str, int]]) -> list[str]:
        """Read the missing changes of tables, and return those that have some."""
        behind = []
        for table_id, version in versions:
            table = self._tables.get(table_id)
            if table is not None and version > table.version:
                behind.append(table_id)
                self._fill_soon(table)
        return behind

    def _fill_soon(self, table: "_FedTable") -> None:
        if not table.is_filling:
            table.is_filling = True
            self.background(self._fill(table))

    async def _fill(self, table: "_FedTable") -> None:
        """Read the changes after the last version that is known here, and deliver them."""
        try:
            versions = await versions_load(pool(), [table.table_id])
            until = versions[table.table_id]
            for delivery in await events_load(
                pool(), table.table_id, game_type=table.game_type, after=table.version, until=until
            ):
                if delivery.version > table.version:
                    table.tell(delivery)
            table.version = max(table.version, until)
        except DomainError as error:
            log.warning("table_not_followed", table=table.table_id, error=error.code)
        finally:
            table.is_filling = False


class _FedTable:
    """A table, the last delivered version, and its listeners, each with the version after which it begins."""

    __slots__ = ("game_type", "is_filling", "listeners", "table_id", "version")

    def __init__(self, table_id: str, game_type: str, version: int) -> None:
        self.table_id = table_id
        self.game_type = game_type
        self.version = version
        self.listeners: dict[TableListener, int] = {}
        self.is_filling = False

    def tell(self, delivery: Delivery) -> None:
        self.version = delivery.version
        for listener, since in list(self.listeners.items()):
            if delivery.version > since:
                listener.notices_take(self.table_id, delivery.version, delivery.notices)


def feed() -> TableFeed:
    """Return the running event loop's feed."""
    loop = asyncio.get_running_loop()
    held = _feeds.get(loop)
    if held is None:
        held = _feeds[loop] = TableFeed()
    return held


def feed_version(table_id: str) -> int:
    """Return `TableFeed.version_of`, or -1 if this loop has no feed."""
    held = _feeds.get(asyncio.get_running_loop())
    return -1 if held is None else held.version_of(table_id)


async def delivery_publish(delivery: Delivery) -> None:
    """Deliver a committed change to this process's sockets at once, and announce it to the other processes."""
    held = _feeds.get(asyncio.get_running_loop())
    if held is None:
        await announce([TOPIC], _change_message(delivery))
    else:
        held.deliver(delivery)
        held.announce_change(delivery)


def _change_message(delivery: Delivery) -> dict[str, Any]:
    return {
        "type": "table.changed",
        "table": delivery.table_id,
        "version": delivery.version,
        "notices": [list(notice) for notice in delivery.notices],
    }


async def session_announce(session_id: int) -> None:
    """Make the session's socket, in whichever process it is, read the session's tables again."""
    message = {"type": "table.session", "session": session_id}
    held = _feeds.get(asyncio.get_running_loop())
    if held is None:
        await announce([TOPIC], message)
    else:
        held.put_nowait(message)
        held.announce_soon(message)


_feeds: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, TableFeed]] = WeakKeyDictionary()
