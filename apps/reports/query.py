"""Runs a report's statement."""

from typing import Any

from django.db import connection


def rows_of(sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def parted(partner_id: int | None) -> dict[str, Any]:
    """Return the parameter of the scope: NULL is all partners."""
    return {"partner": partner_id}
