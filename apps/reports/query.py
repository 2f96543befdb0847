"""Runs a report's statement."""

from typing import Any, Final

from django.db import connection, transaction

_MEMORY: Final = "SET LOCAL work_mem = '64MB'"
"""A report groups up to millions of rows. With PostgreSQL's 4 MB it sorts them on disk first."""


def rows_of(sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a statement."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_MEMORY)
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
