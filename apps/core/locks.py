"""Advisory locks of PostgreSQL, by name, until the end of a transaction."""

import hashlib

from django.db import connection

from apps.core.database_errors import database_errors
from apps.core.postgres_pool import Transaction
from apps.core.transactions import transaction_require


def advisory_lock(*parts: str) -> None:
    """Wait for the lock with this name, and hold it to the end of the caller's transaction.

    Raises Busy if it is not free within `lock_timeout`. Two names may share a lock (one pair in 2^64), so that one
    waits for the other without harm.
    """
    transaction_require()
    with database_errors(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::bigint)", [_number(parts)])


async def advisory_lock_awaited(transaction: Transaction, *parts: str) -> None:
    """Do the same as `advisory_lock` in a transaction of the event loop."""
    await transaction.fetch("SELECT pg_advisory_xact_lock($1::bigint)", _number(parts))


def _number(parts: tuple[str, ...]) -> int:
    digest = hashlib.sha256("\x1f".join(parts).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
