"""The event loop's connections to PostgreSQL: a small pool of asyncpg connections, without threads.

asyncpg's own pool wraps and resets a connection for every statement, which takes longer than the statement.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias
from weakref import WeakKeyDictionary

import asyncpg
import msgspec
import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from apps.core.batcher import Batcher
from apps.core.database_errors import domain_error_of

Row = tuple[Any, ...]

logger = structlog.get_logger(__name__)

_encode: Final = msgspec.json.Encoder().encode


class Pool:
    """The connections of one event loop, at most `PUNTO_SOCKET_CONNECTIONS`: opened when needed, last used first.

    A connection is lent for one statement or one transaction. It is closed if it was lost, or if its borrower was
    cancelled or timed out during a statement.
    """

    def __init__(self) -> None:
        self._arguments = _connect_arguments()
        most = settings.PUNTO_SOCKET_CONNECTIONS
        self._free = asyncio.Semaphore(most)
        """The connections that are not lent, open or not. A semaphore serves its waiters in their order."""
        self._transactions = asyncio.Semaphore(max(1, most - max(1, most // 4)))
        """Transactions keep their connections while they wait for locks, so a quarter is reserved for statements."""
        self._idle: list[_Connection] = []
        """The open connections that are not lent, the last used at the end."""
        self._is_closed = False
        self._batchers: dict[str, Batcher[object, Row | None]] = {}

    async def query(self, sql: str, item: object) -> Row | None:
        """Return one item's answer from a statement that answers many items; None if there is no row for it.

        `$1` is a JSON array of items, with amounts as texts and bytes as base64. Each row begins with the item's place,
        counted from 1, which the answer omits. Items that arrive together share one transaction. Raises the DomainError
        for PostgreSQL's error. Raises Unavailable if PostgreSQL does not answer: the item may have been written or not.
        """
        batcher = self._batchers.get(sql)
        if batcher is None:
            batcher = self._batchers[sql] = Batcher(partial(self._answers, sql))
        try:
            return await batcher.load(item)
        except _DATABASE_ERRORS as error:
            _refuse(error)

    async def fetch(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a statement, in a transaction of its own. Raises as `query` does."""
        try:
            return await self._fetch(sql, *values)
        except _DATABASE_ERRORS as error:
            _refuse(error)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        """Run the block's statements in one transaction: commit at its end, roll back if it raises.

        Raises as `query` does.
        """
        connection = await self._take_for_transaction()
        transaction = Transaction(connection)
        try:
            await transaction.fetch("BEGIN")
            try:
                yield transaction
            except BaseException:
                # An unusable connection is closed, which rolls its transaction back.
                if connection.is_usable:
                    with suppress(Exception):
                        await connection.fetch("ROLLBACK")
                raise
            await transaction.fetch("COMMIT")
            connection.commit_check()
        finally:
            self._give_back(connection)
            self._transactions.release()

    async def close(self) -> None:
        """Close the idle connections now, and each of the others when it is returned."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        await asyncio.gather(*[connection.close(timeout_s=self._arguments["timeout"]) for connection in idle])

    async def _answers(self, sql: str, items: list[object]) -> list[Row | None]:
        return _by_place(await self._fetch(sql, _encode(items).decode()), len(items))

    async def _fetch(self, sql: str, *values: object) -> list[Row]:
        connection = await self._take()
        try:
            return await connection.fetch(sql, *values)
        finally:
            self._give_back(connection)

    async def _take(self) -> "_Connection":
        if self._free.locked():
            async with asyncio.timeout(self._arguments["timeout"]):
                await self._free.acquire()
        else:
            await self._free.acquire()  # At once: a timeout would take longer.
        connection = self._idle.pop() if self._idle else None
        if connection is not None and connection.is_usable:
            return connection
        try:
            return await _Connection.open(self._arguments)
        except BaseException:
            self._free.release()
            raise

    async def _take_for_transaction(self) -> "_Connection":
        try:
            async with asyncio.timeout(self._arguments["timeout"]):
                await self._transactions.acquire()
            try:
                return await self._take()
            except BaseException:
                self._transactions.release()
                raise
        except _DATABASE_ERRORS as error:
            _refuse(error)

    def _give_back(self, connection: "_Connection") -> None:
        if connection.is_usable and not self._is_closed:
            self._idle.append(connection)
        else:
            connection.terminate()
        self._free.release()


class Transaction:
    """Statements in one transaction on one connection, one after the other."""

    def __init__(self, connection: "_Connection") -> None:
        self._connection = connection

    async def query(self, sql: str, item: object) -> Row | None:
        """See `Pool.query`; this item is not batched."""
        return _by_place(await self.fetch(sql, _encode([item]).decode()), 1)[0]

    async def fetch(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a statement. Raises as `query` does."""
        try:
            return await self._connection.fetch(sql, *values)
        except _DATABASE_ERRORS as error:
            _refuse(error)


Executor: TypeAlias = Pool | Transaction
"""What stores read and write with."""


def pool() -> Pool:
    """Return the running event loop's pool; call `pool_close` before the loop ends."""
    loop = asyncio.get_running_loop()
    held = _pools.get(loop)
    if held is None:
        held = _pools[loop] = Pool()
    return held


async def pool_close() -> None:
    """Close the running event loop's connections; `pool` then creates a new pool."""
    held = _pools.pop(asyncio.get_running_loop(), None)
    if held is not None:
        await held.close()


class _Connection:
    """An asyncpg connection with its prepared statements.

    Raises asyncpg.PostgresError for an error from PostgreSQL: nothing was done. Raises OSError if it does not answer in
    time, or the connection is lost or cannot be opened.
    """

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection
        self._statements: dict[str, Any] = {}
        self._is_between_statements = True

    @classmethod
    async def open(cls, arguments: dict[str, Any]) -> "_Connection":
        """Connect."""
        try:
            return cls(await asyncpg.connect(**arguments))
        except (asyncpg.PostgresError, OSError) as error:
            # Too many connections, not started yet, a wrong password: these refuse the connection, not a statement.
            logger.warning("database_connect_failed", error=repr(error))
            raise ConnectionRefusedError("no connection to the database") from error

    @property
    def is_usable(self) -> bool:
        """Whether it is open and the last statement was answered."""
        return self._is_between_statements and not self._connection.is_closed()

    async def fetch(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a statement, which is prepared on first use."""
        self._is_between_statements = False  # It stays so if the caller is cancelled.
        try:
            statement = self._statements.get(sql)
            if statement is None:
                statement = self._statements[sql] = await self._connection.prepare(sql)
            rows: list[Row] = await statement.fetch(*values)
        except Exception as error:
            # asyncpg reports a lost connection in several ways: as PostgreSQL's error, its own, or one of wrong use.
            if self._connection.is_closed():
                logger.warning("database_connection_lost", error=repr(error))
                raise ConnectionResetError("the connection to the database was lost") from error
            self._is_between_statements = isinstance(error, asyncpg.PostgresError)
            raise
        self._is_between_statements = True
        return rows

    def commit_check(self) -> None:
        """Raise InFailedSQLTransactionError if the last COMMIT rolled back.

        PostgreSQL answers COMMIT with ROLLBACK after an error that the transaction's block caught.
        """
        tag = self._statements["COMMIT"].get_statusmsg()
        if tag != "COMMIT":
            raise asyncpg.InFailedSQLTransactionError(f"COMMIT was answered with {tag}")

    def terminate(self) -> None:
        """Close it at once, even during a statement."""
        self._connection.terminate()

    async def close(self, *, timeout_s: float) -> None:
        """Close it properly."""
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await self._connection.close(timeout=timeout_s)


_DATABASE_ERRORS: Final = (asyncpg.PostgresError, OSError)


def _refuse(error: asyncpg.PostgresError | OSError) -> NoReturn:
    """Raise the refusal for PostgreSQL's error or timeout, or the error itself if it maps to no refusal."""
    refusal = domain_error_of(error)
    if refusal is None:
        raise error
    raise refusal from error


_pools: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Pool]] = WeakKeyDictionary()


def _by_place(rows: list[Row], count: int) -> list[Row | None]:
    """Return the answers to `count` items in their order; None if there is no row."""
    answers: list[Row | None] = [None] * count
    for row in rows:
        answers[row[0] - 1] = row[1:]
    return answers


def _connect_arguments() -> dict[str, Any]:
    """Return the arguments of `asyncpg.connect` for Django's database (see `casino.env.database`)."""
    database = connections[DEFAULT_DB_ALIAS].settings_dict
    ports = [int(port) for port in str(database["PORT"]).split(",") if port]
    return {
        "host": database["HOST"].split(",") if database["HOST"] else None,
        "port": ports or None,
        "user": database["USER"] or None,
        "password": database["PASSWORD"] or None,
        "database": database["NAME"] or None,
        **database["ASYNCPG"],
    }
