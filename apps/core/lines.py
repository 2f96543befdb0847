"""The event loop's own connections to the database: no thread waits for a statement.

A socket's action is two statements. A thread for them costs more in being woken than the action does in Python.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar
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
from apps.core.statement import Asking, Batch, Question, Row, Statement, result_check

_RECONNECT_S: Final = 5
"""How long the pool tries again by itself; after that the next who asks makes it try."""

MOST_TOGETHER: Final = 8
"""Questions in one statement. Of sixteen players who bet without a pause half are with PostgreSQL and half with us:
more at a time and one of the two waits for the other, fewer and each statement's own cost is shared by fewer."""

_PATIENCE_S: Final = 0.1
"""How long, once or twice, questions wait for others of their kind that are under way: a lock or a lost connection
may hold those up for seconds."""

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


async def lines_close() -> None:
    """Close the running loop's connections, for its end; who asks after that opens others."""
    lines = _lines_of.pop(asyncio.get_running_loop(), None)
    if lines is not None:
        await lines.close()


class Lines:
    """The connections of one event loop: opened and mended by psycopg's pool, lent out one statement at a time.

    The pool's own lending, and a wait that makes and drops a reader and a timer, cost as much as the statement.
    """

    def __init__(self) -> None:
        database = connections[DEFAULT_DB_ALIAS]
        parameters = database.get_connection_params()
        options = {name: parameters[name] for name in parameters if name in _PARAMETERS}
        # One plan for every number of questions: a new one costs PostgreSQL more than the answers.
        options["options"] = f"{options.get('options', '')} -c plan_cache_mode=force_generic_plan"
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
        self._is_closed = False
        self._queues: dict[Batch, _Queue] = {}

    async def row(self, question: Question) -> Row | None:
        """Ask and return the answer's first row. Raises the DomainError of what PostgreSQL refuses, or psycopg's."""
        statement, parameters = question
        try:
            if not isinstance(statement, Batch):
                return statement.read(await self.result(statement, parameters))
            queue = self._queues.get(statement)
            if queue is None:
                queue = self._queues[statement] = _Queue(self, statement)
            return await queue.row(parameters)
        except psycopg.Error as error:
            refusal = domain_error_of(error)
            if refusal is None:
                raise
            raise refusal from error

    async def result(self, statement: Statement, parameters: Sequence[object]) -> pq.abc.PGresult:
        """Run a statement on a connection. Raises psycopg's error for what PostgreSQL refuses."""
        line = await self._taken()
        try:
            return await line.result(statement, parameters)
        finally:
            await self._give_back(line)

    async def close(self) -> None:
        """Close the connections that lie idle now, and each of the others when its statement is answered."""
        self._is_closed = True
        while self._idle:
            await self._drop(self._idle.pop())
        await self._pool.close()

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
            if line.is_usable and not self._is_closed:
                self._idle.append(line)
            else:
                await self._drop(line)
        finally:
            self._free.release()

    async def _drop(self, line: "_Line") -> None:
        is_spent = not line.is_usable
        line.leave()
        if is_spent:
            # It may have come to rest since, and lent again it would know statements already that a new line prepares.
            await line.link.close()
        await self._pool.putconn(line.link)  # which makes another one for it


class _Queue:
    """The questions to one statement: those that come while others are under way go together, next.

    Where those under way take long, they are not waited for: each may have a connection of its own.
    """

    def __init__(self, lines: Lines, statement: Batch) -> None:
        self._lines = lines
        self._statement = statement
        self._waiting: list[_Waiting] = []
        self._runs: set[asyncio.Task[None]] = set()
        self._look: asyncio.TimerHandle | None = None
        self._first: _Waiting | None = None
        """Who was the first that waited when we looked last."""

    async def row(self, parameters: tuple[object, ...]) -> Row | None:
        """Ask one question. Raises what it was refused with, whatever became of the others."""
        waiting = _Waiting(parameters, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if not self._runs:
            self._run_start()
        if self._look is None:
            self._look_later()
        return await waiting.answer

    def _run_start(self) -> None:
        self._runs.add(asyncio.create_task(self._answer_all()))

    def _look_later(self) -> None:
        self._look = asyncio.get_running_loop().call_later(_PATIENCE_S, self._look_on)

    def _look_on(self) -> None:
        """Have all that wait asked beside what is under way, if one of them waited when we looked last already."""
        self._look = None
        first = self._waiting[0] if self._waiting else None
        if first is not None and first is self._first:
            for _ in range(0, len(self._waiting), MOST_TOGETHER):
                self._run_start()
        self._first = first
        if self._runs:
            self._look_later()

    async def _answer_all(self) -> None:
        try:
            while together := self._waiting[:MOST_TOGETHER]:
                del self._waiting[:MOST_TOGETHER]
                await self._answer(together)
        finally:
            self._runs -= {asyncio.current_task()}

    async def _answer(self, together: list["_Waiting"]) -> None:
        statement = self._statement
        try:
            result = await self._lines.result(statement, statement.together([one.parameters for one in together]))
            rows = statement.rows(result, len(together))
        except psycopg.Error as error:
            if len(together) > 1 and error.sqlstate is not None:
                # Nothing was done, for the sake of one of them: which one shows when each goes alone.
                await asyncio.gather(*[self._answer([one]) for one in together])
                return
            for one in together:
                one.refuse(error)
        except Exception as error:  # noqa: BLE001  - a fault of ours: nobody may wait for ever
            for one in together:
                one.refuse(error)
        else:
            for one, row in zip(together, rows, strict=True):
                one.give(row)


class _Waiting(NamedTuple):
    parameters: tuple[object, ...]
    answer: asyncio.Future[Row | None]

    def give(self, row: Row | None) -> None:
        if not self.answer.done():
            self.answer.set_result(row)

    def refuse(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


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

    async def result(self, statement: Statement, parameters: Sequence[object]) -> pq.abc.PGresult:
        """Run a statement. Raises psycopg's error for what PostgreSQL refuses, OperationalError where it is lost."""
        if statement.name not in self._prepared:
            result_check(self.link, await self._answer(self._server.send_prepare, statement.name, statement.sql))
            self._prepared.add(statement.name)
        values = statement.values(parameters)
        return result_check(self.link, await self._answer(self._server.send_query_prepared, statement.name, values))

    def leave(self) -> None:
        """Stop listening, once: the number of a closed socket may be another's by now."""
        self.is_usable = False
        if self._is_listening:
            self._is_listening = False
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)

    async def _answer(self, send: Callable[..., None], *what: object) -> pq.abc.PGresult:
        """Give libpq something to send; return what PostgreSQL answers."""
        # And it stays so where the caller is cancelled, or libpq finds the connection lost and closes it as it sends.
        self.is_usable = False
        send(*what)
        self._results = self._loop.create_future()
        self._exchange = execute(self._server)
        self._wait_for(next(self._exchange))
        results = await self._results
        self.is_usable = self._is_listening
        # What the commit refuses (a foreign key's lock, an end of the session) comes after the rows.
        return results[-1]

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
