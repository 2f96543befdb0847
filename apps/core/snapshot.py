"""Reading the whole ledger as it stood at one moment, however long the reading takes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection, transaction

_ROWS_A_FETCH: Final = 5_000
# What a value looks like as text must not depend on whoever reads it.
_TEXT_SETTINGS: Final = """
    SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true),
        set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
        set_config('extra_float_digits', '1', true)
"""


@contextmanager
def one_moment(*, read_only: bool) -> Iterator[None]:
    """Run what is inside in a transaction of its own that sees one state of the database.

    It takes no lock that play would wait for, and no time limit holds: a ledger may be long.
    """
    mode = "READ ONLY" if read_only else "READ WRITE"
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ {mode}")
            cursor.execute("SET LOCAL statement_timeout = 0")
        yield


def text_settle() -> None:
    """Have every value look the same as text until the transaction ends, whatever the connection's settings are."""
    with connection.cursor() as cursor:
        cursor.execute(_TEXT_SETTINGS)


def rows_stream(sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield a query's rows from a cursor on the server: memory does not grow with the table."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(_ROWS_A_FETCH):
            yield from rows
