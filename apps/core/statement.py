"""The few statements that run thousands of times a second, past the layers that cost more than they do."""

from collections.abc import Callable, Generator, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import pq

from apps.core.database import database_errors

Answer = TypeVar("Answer")
Row = list[Any]
Column = Callable[[bytes], Any]
"""Makes a value of the text that PostgreSQL sends for it."""

text: Final[Column] = bytes.decode
integer: Final[Column] = int


def boolean(sent: bytes) -> bool:
    """Read a boolean."""
    return sent == b"t"


def number(sent: bytes) -> Decimal:
    """Read a numeric."""
    return Decimal(sent.decode())


def binary(sent: bytes) -> bytes:
    """Read a bytea in its hex form."""
    return bytes.fromhex(sent[2:].decode())


def uuid(sent: bytes) -> UUID:
    """Read a uuid."""
    return UUID(sent.decode())


def array(item: Column) -> Column:
    """Return the reader of a one-dimensional array of numbers without NULLs."""
    return lambda sent: [item(one) for one in sent[1:-1].split(b",") if one]


class Statement:
    """One statement, prepared once on each connection and run by libpq itself.

    A cursor of Django or psycopg takes longer to run such a statement than PostgreSQL does. It returns one row;
    `columns` read its values. `name` is its own, on the connection and in PostgreSQL's views. Parameters `$1`, `$2` go
    as text: what `str` makes of a value, None as NULL, `bytes` as bytea. In autocommit mode a statement is a
    transaction of its own.
    """

    def __init__(self, name: str, sql: str, *columns: Column) -> None:
        self.name = name.encode()
        self.sql = sql.encode()
        self._columns = columns

    def row(self, *parameters: object) -> Row | None:
        """Run it on Django's connection and return its first row, None where there is none.

        Raises the DomainError of what PostgreSQL refuses (`apps.core.database`), or Django's DatabaseError.
        """
        database = connections[DEFAULT_DB_ALIAS]
        with database_errors(), database.wrap_database_errors:
            database.ensure_connection()
            link = database.connection
            known = _prepared.setdefault(link, set())
            if self.name not in known:
                result_check(link, link.pgconn.prepare(self.name, self.sql))
                known.add(self.name)
            return self.read(result_check(link, link.pgconn.exec_prepared(self.name, self.values(parameters))))

    def values(self, parameters: Sequence[object]) -> list[Any]:
        """Return the parameters as they are sent."""
        return [value.encode() if isinstance(value, str) else _sent(value) for value in parameters]

    def read(self, result: pq.abc.PGresult) -> Row | None:
        """Return the first row of a result."""
        return self._read_row(result, 0) if result.ntuples else None

    def _read_row(self, result: pq.abc.PGresult, number: int) -> Row:
        fetch = result.get_value
        return [
            None if (sent := fetch(number, place)) is None else column(sent)
            for place, column in enumerate(self._columns)
        ]


class Batch(Statement):
    """A statement that answers several questions at once, in one transaction.

    Each parameter goes as an array with one element a question; each row that comes back begins with the place of its
    question, counted from 1, before `columns`. `for_one` is the same for a single question, with plain parameters: a
    statement that reads is planned anew for every number of questions, unless its connection forbids it.
    """

    def __init__(self, name: str, sql: str, *columns: Column, for_one: str = "") -> None:
        super().__init__(name, sql, integer, *columns)
        self._for_one = Statement(f"{name}_for_one", for_one, integer, *columns) if for_one else None

    def row(self, *parameters: object) -> Row | None:
        """Ask one question; else as a `Statement` does."""
        row = self._for_one.row(*parameters) if self._for_one else super().row(*self.together([parameters]))
        return None if row is None else row[1:]

    def together(self, questions: Sequence[tuple[object, ...]]) -> list[str]:
        """Return the parameters of all questions as the statement takes them."""
        return ["{" + ",".join([_element(value) for value in column]) + "}" for column in zip(*questions, strict=True)]

    def rows(self, result: pq.abc.PGresult, count: int) -> list[Row | None]:
        """Return the answers to `count` questions, in their order; None where there is none."""
        answers: list[Row | None] = [None] * count
        for number in range(result.ntuples):
            place, *row = self._read_row(result, number)
            answers[place - 1] = row
        return answers


class Question(NamedTuple):
    """A statement and what it is asked with."""

    statement: Statement
    parameters: tuple[object, ...]


Asking = Generator[Question, Row | None, Answer]
"""A piece of work that yields what it asks the database, so that whoever runs it decides how to wait."""


def ask(statement: Statement, *parameters: object) -> Asking[Row | None]:
    """Ask, within an `Asking`: `row = yield from ask(...)`."""
    return (yield Question(statement, parameters))


def answer(asking: Asking[Answer]) -> Answer:
    """Carry out the work on Django's connection of this thread. Raises what it raises."""
    try:
        question = next(asking)
        while True:
            try:
                row = question.statement.row(*question.parameters)
            except Exception as error:  # noqa: BLE001  - the work decides what becomes of it
                question = asking.throw(error)
            else:
                question = asking.send(row)
    except StopIteration as end:
        result: Answer = end.value
        return result


_prepared: Final[WeakKeyDictionary[psycopg.Connection[Any], set[bytes]]] = WeakKeyDictionary()


def _sent(value: object) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return b"\\x" + value.hex().encode()
    return str(value).encode()


def _element(value: object) -> str:
    """Return a value as an array holds it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bytes):
        return '"\\\\x' + value.hex() + '"'
    return str(value)


def result_check(
    link: psycopg.Connection[Any] | psycopg.AsyncConnection[Any], result: pq.abc.PGresult
) -> pq.abc.PGresult:
    """Return the result of a statement that was carried out. Raises psycopg's error for one that was not."""
    if result.status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        return result
    if link.pgconn.status == pq.ConnStatus.BAD:
        raise psycopg.OperationalError("the connection was lost")
    raise psycopg.errors.error_from_result(result, link.info.encoding)
