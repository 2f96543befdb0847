"""The scope of a report, and the execution of its statements."""

from dataclasses import dataclass
from typing import Any, Final

from django.db import connection, transaction

from apps.reports.period import Period

_MEMORY: Final = "SET LOCAL work_mem = '64MB'"
"""A report groups up to millions of rows. With PostgreSQL's 4 MB it sorts them on disk first."""

# A guest that signs up takes the name of its log-in; players of other partners have no log-in, and keep theirs.
REFERENCE: Final = """CASE WHEN player.user_id IS NULL THEN player.reference ELSE coalesce((
            SELECT content ->> 'reference' FROM row_change
            WHERE table_name = 'player' AND row_key = player.id::text AND ctime < %(until)s
            ORDER BY number DESC LIMIT 1
        ), player.reference) END"""
"""The reference that a player had at the end of the period."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The scope of a report's rows."""

    period: Period
    partner_id: int | None
    """None: all partners."""
    most: int | None = None
    """The number of rows that are shown, the first ones; None: all. A report of few rows may return more."""


def rows_of(sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a statement."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_MEMORY)
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def first_rows(sql: str, parameters: dict[str, Any], most: int | None) -> tuple[list[tuple[Any, ...]], int]:
    """Return the first rows of a statement, and the number of those left out.

    PostgreSQL counts them in the same statement: it reads all either way, and sends only the first ones.
    """
    if most is None:
        return rows_of(sql, parameters), 0
    counted = f"SELECT listed.*, count(*) OVER () FROM ({sql}) AS listed LIMIT %(most)s"  # noqa: S608 - from constants
    rows = rows_of(counted, {**parameters, "most": most})
    return [row[:-1] for row in rows], rows[0][-1] - len(rows) if rows else 0
