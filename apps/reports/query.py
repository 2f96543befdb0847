"""Runs a report's statement."""

from typing import Any

from django.db import connection


def rows_of(sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
