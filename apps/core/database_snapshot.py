"""Reads the whole database in one snapshot, for any length of time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection, transaction

READERS_LOCK: Final = 1_886_744_180
"""The number of the advisory lock that all long readers share. Code that waits for writers can ignore its holders."""

_ROWS_A_FETCH: Final = 5_000
# The text form of a value must not depend on the connection's settings.
_TEXT_SETTINGS: Final = """
    SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true),
        set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
        set_config('extra_float_digits', '1', true)
"""


@contextmanager
def one_moment(*, read_only: bool) -> Iterator[None]:
    """Run the block in a transaction that sees one snapshot of the database.

    It takes no lock that bets would wait for, and uses one core of PostgreSQL's. It has no timeout, since a ledger may
    be long.
    """
    mode = "READ ONLY" if read_only else "READ WRITE"
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ {mode}")
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL max_parallel_workers_per_gather = 0")
            # Joins of whole tables would otherwise write most of them to temporary files.
            cursor.execute("SET LOCAL work_mem = '64MB'")
            if read_only:
                cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [READERS_LOCK])
        link = connection.connection
        client_timeout_s, link.client_timeout_s = link.client_timeout_s, None
        try:
            yield
        finally:
            link.client_timeout_s = client_timeout_s


def text_settle() -> None:
    """Fix the text form of values until the end of the transaction, independently of the connection's settings."""
    with connection.cursor() as cursor:
        cursor.execute(_TEXT_SETTINGS)


def rows_stream(sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield a query's rows from a server-side cursor, so that memory does not grow with the table."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(_ROWS_A_FETCH):
            yield from rows
