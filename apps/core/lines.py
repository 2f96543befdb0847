"""The event loop's own connections to the database: no thread waits for a statement.

A socket's action is two statements. A thread for them costs more in being woken than the action does in Python.
"""

import asyncio
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import pq
from psycopg.abc import PQGen
from psycopg.generators import execute
from psycopg.waiting import Ready, Wait
from psycopg_pool import AsyncConnectionPool

from apps.core.database import domain_error_of
from apps.core.statement import Asking, Question, Row, result_check

_RECONNECT_S: Final = 5
"""How long the pool tries again by itself; after that the next who asks makes it try."""

_Answer = TypeVar("_Answer")
_Connection = psycopg.AsyncConnection[Any]


async def answer_awaited(asking: Asking[_Answer]) -> _Answer:
    """Carry out the work, each statement a transaction of its own on one of the loop's connections.

    Raises what it raises. Where the caller is cancelled, the statement under way is carried out or not; nobody waits.
    """
    lines = _lines()
    try:
        question = next(asking)
        while True:
            try:
                row = await lines.row(question)
            except Exception as error:  # noqa: BLE001  - the work decides what becomes of it
                question = asking.throw(error)
            else:
                question = asking.send(row)
    except StopIteration as end:
        result: _Answer = end.value
        return result


class Lines:
    """The connections of one event loop: opened and mended by psycopg's pool, lent out one statement at a time.

    The pool's own lending, and a wait that makes and drops a reader and a timer, cost as much as the statement.
    """

    def __init__(self) -> None:
        database = connections[DEFAULT_DB_ALIAS]
        parameters = database.get_connection_params()
        options = {name: parameters[name] for name in parameters if name in _PARAMETERS}
        self._timeout_s: float = (database.settings_dict["OPTIONS"].get("pool") or {}).get("timeout", _RECONNECT_S)
        self._pool = AsyncConnectionPool[_Connection](
            kwargs=options | {"autocommit": True},
            min_size=1,
            max_size=settings.PUNTO_SOCKET_CONNECTIONS,
            timeout=self._timeout_s,
            reconnect_timeout=_RECONNECT_S,
            check=AsyncConnectionPool.check_connection,
            open=False,
        )
        self._free = asyncio.Semaphore(settings.PUNTO_SOCKET_CONNECTIONS)
        self._idle: list[_Line] = []

    async def row(self, question: Question) -> Row | None:
        """Ask and return the answer's first row. Raises the DomainError of what PostgreSQL refuses, or psycopg's."""
        try:
            line = await self._taken()
            try:
                result = await line.result(question)
            finally:
                await self._give_back(line)
        except psycopg.Error as error:
            refusal = domain_error_of(error)
            if refusal is None:
                raise
            raise refusal from error
        return question.statement.read(result)

    async def _taken(self) -> "_Line":
        if self._free.locked():
            try:
                async with asyncio.timeout(self._timeout_s):
                    await self._free.acquire()
            except TimeoutError:
                raise psycopg.OperationalError("every connection of the sockets was busy for too long") from None
        else:
            await self._free.acquire()
        try:
            while self._idle:
                # The one used last: what is left over lies idle, not every one a little.
                line = self._idle.pop()
                if line.is_usable:
                    return line
                await self._drop(line)
            if self._pool.closed:
                await self._pool.open()
            return _Line(await self._pool.getconn())
        except BaseException:
            self._free.release()
            raise

    async def _give_back(self, line: "_Line") -> None:
        try:
            if line.is_usable:
                self._idle.append(line)
            else:
                await self._drop(line)
        finally:
            self._free.release()

    async def _drop(self, line: "_Line") -> None:
        line.leave()
        await self._pool.putconn(line.link)  # which makes another one for it


class _Line:
    """One connection, listened to as long as it stands: of a lost one the loop knows at once."""

    def __init__(self, link: _Connection) -> None:
        self.link = link
        self.is_usable = True
        """Whether it can take a statement: it stands, and the last one has been answered."""
        self._server = link.pgconn
        self._socket = link.pgconn.socket
        self._prepared: set[bytes] = set()
        self._loop = asyncio.get_running_loop()
        self._exchange: PQGen[list[pq.abc.PGresult]] | None = None
        self._results: asyncio.Future[list[pq.abc.PGresult]]
        self._is_listening = True
        self._is_writing = False
        self._loop.add_reader(self._socket, self._on_ready, Ready.R)

    async def result(self, question: Question) -> pq.abc.PGresult:
        """Run a statement. Raises psycopg's error for what PostgreSQL refuses, OperationalError where it is lost."""
        statement, parameters = question
        if statement.name not in self._prepared:
            self._server.send_prepare(statement.name, statement.sql)
            result_check(self.link, await self._answer())
            self._prepared.add(statement.name)
        self._server.send_query_prepared(statement.name, statement.values(parameters))
        return result_check(self.link, await self._answer())

    def leave(self) -> None:
        """Stop listening, once: the number of a closed socket may be another's by now."""
        self.is_usable = False
        if self._is_listening:
            self._is_listening = False
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)

    async def _answer(self) -> pq.abc.PGresult:
        """Return what PostgreSQL answers to what was just given to libpq."""
        self.is_usable = False  # and it stays so where the caller is cancelled
        self._results = self._loop.create_future()
        self._exchange = execute(self._server)
        self._wait_for(next(self._exchange))
        results = await self._results
        self.is_usable = self._is_listening
        return results[0]

    def _on_ready(self, ready: Ready) -> None:
        """Take the exchange on as far as it goes without waiting; without one, look what the server has to say."""
        try:
            if self._exchange is None:
                self._server.consume_input()
            else:
                self._wait_for(self._exchange.send(ready))
        except StopIteration as end:
            self._exchange = None
            if self._server.status != pq.ConnStatus.OK:
                self.leave()
            if not self._results.cancelled():
                self._results.set_result(end.value)
        except psycopg.Error as error:
            self.leave()
            if self._exchange is not None and not self._results.cancelled():
                self._results.set_exception(error)

    def _wait_for(self, wait: Wait) -> None:
        """Have the loop call again; it always does where there is something to read."""
        if self._is_writing != bool(wait & Wait.W):
            self._is_writing = not self._is_writing
            if self._is_writing:
                self._loop.add_writer(self._socket, self._on_ready, Ready.W)
            else:
                self._loop.remove_writer(self._socket)


_lines_of: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Lines]] = WeakKeyDictionary()


def _lines() -> Lines:
    loop = asyncio.get_running_loop()
    lines = _lines_of.get(loop)
    if lines is None:
        lines = _lines_of[loop] = Lines()
    return lines


_PARAMETERS: Final = frozenset({"dbname", "user", "password", "host", "port", "options", "sslmode"})
