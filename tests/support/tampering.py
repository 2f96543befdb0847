"""Alterations of every table, made from the database's catalogue, so that a new column is attacked without being
listed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

Row = dict[str, Any]

COLUMNS_SQL = """
    SELECT class.relname, attname, format_type(atttypid, NULL),
        attnum = ANY (coalesce((SELECT indkey FROM pg_index WHERE indrelid = class.oid AND indisprimary), '')::int2[])
    FROM pg_class AS class JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
    WHERE class.relnamespace = 'public'::regnamespace AND class.relkind = 'r' ORDER BY class.relname, attnum
"""
OTHER_VALUES = {
    "bigint": "coalesce({0} + 1000, 7)",
    "integer": "coalesce({0} + 1000, 7)",
    "smallint": "coalesce({0} + 1, 1)",
    "numeric": "coalesce({0} + 1, 1)",
    "double precision": "coalesce({0} + 1, 1)",
    "boolean": "NOT {0}",
    "uuid": "gen_random_uuid()",
    "date": "{0} - 400",
    "timestamp with time zone": "coalesce({0}, now()) - interval '1 hour'",
    "bytea": "sha256({0})",
    "jsonb": "jsonb_build_object('altered', {0})",
    "character varying": "CASE WHEN {0} = 'x' THEN 'y' ELSE 'x' END",
    "text": "coalesce({0}, '') || 'x'",
    "character varying[]": "{0} || '{{x}}'",
    "smallint[]": "coalesce({0}, '{{0}}') || 1::smallint",
    "bigint[]": "coalesce({0}, '{{0}}') || 1::bigint",
    "double precision[]": "coalesce({0}, '{{0}}') || 1::float8",
    "text[]": "{0} || '{{x}}'",
    "bytea[]": "{0}[2:] || '{{x}}'::bytea[]",
}
"""The expression of another value, by type."""


class Table:
    """A table with its columns, and the rows of it that are attacked."""

    def __init__(self, link: psycopg.Connection, name: str, columns: dict[str, str], key: list[str]) -> None:
        self.link = link
        self.name = name
        self.columns = columns
        self.key = key

    def rows(self, where: str = "true") -> list[Row]:
        rows = map(_row_read, self.texts(where))
        return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))

    def texts(self, where: str = "true") -> set[str]:
        """Return the rows as PostgreSQL writes them, which is faster to compare."""
        found = self.link.execute(f"SELECT to_jsonb(held)::text FROM {self._quoted} AS held WHERE {where}").fetchall()  # type: ignore[arg-type]
        return {text for (text,) in found}

    def key_text(self, row: Row) -> str:
        return ",".join(str(row[column]) for column in self.key)

    def alter(self, row: Row, column: str) -> None:
        """Give the column of the row another value."""
        value = OTHER_VALUES[self.columns[column]].format(f'held."{column}"')
        changed = self.link.execute(
            f'UPDATE {self._quoted} AS held SET "{column}" = {value} WHERE {self._is(row)}'  # type: ignore[arg-type]
            " RETURNING to_jsonb(held)::text"
        ).fetchall()
        assert len(changed) == 1
        assert _row_read(changed[0][0]) != row, f"{self.name}.{column} is as it was"

    def delete(self, row: Row) -> None:
        assert self.link.execute(f"DELETE FROM {self._quoted} AS held WHERE {self._is(row)}").rowcount == 1  # type: ignore[arg-type]

    def insert(self, row: Row) -> None:
        self.link.execute(
            f"INSERT INTO {self._quoted} OVERRIDING SYSTEM VALUE"  # type: ignore[arg-type]
            f" SELECT * FROM jsonb_populate_record(NULL::{self._quoted}, %s)",
            [json.dumps(row)],
        )

    def copy(self, row: Row) -> Row:
        """Insert the row once more under another key, and return the copy."""
        copied = row | {self.key[-1]: _other(row[self.key[-1]])}
        self.insert(copied)
        return copied

    def exchange(self, row: Row, other: Row) -> None:
        """Give each of two rows the key of the other."""
        self.delete(row)
        self.delete(other)
        keys = {column: row[column] for column in self.key}, {column: other[column] for column in self.key}
        self.insert(row | keys[1])
        self.insert(other | keys[0])

    @property
    def _quoted(self) -> str:
        return f'"{self.name}"'

    def _is(self, row: Row) -> str:
        return " AND ".join(
            sql.SQL("held.{}::text = {}").format(sql.Identifier(column), sql.Literal(str(row[column]))).as_string()
            for column in self.key
        )


def _row_read(text: str) -> Row:
    row: Row = json.loads(text, parse_float=str)
    return row


def _other(value: object) -> object:
    """Return another value of the kind that keys have."""
    if isinstance(value, int):
        return value + 100_000
    text = str(value)
    return f"{text[:-4]}0000" if len(text) == 36 else f"{text}x"


def tables_of(link: psycopg.Connection) -> dict[str, Table]:
    """Return all tables by name."""
    columns: dict[str, dict[str, str]] = {}
    keys: dict[str, list[str]] = {}
    for table, column, kind, is_key in link.execute(COLUMNS_SQL).fetchall():
        columns.setdefault(table, {})[column] = kind
        if is_key:
            keys.setdefault(table, []).append(column)
    return {name: Table(link, name, columns[name], keys[name]) for name in columns if name in keys}


@contextmanager
def put_back(table: Table) -> Iterator[None]:
    """Run the block, and restore the rows of the table."""
    before = table.texts()
    try:
        yield
    finally:
        after = table.texts()
        for text in after - before:
            table.delete(_row_read(text))
        for text in before - after:
            table.insert(_row_read(text))


@contextmanager
def constraints_dropped(link: psycopg.Connection) -> Iterator[None]:
    """Run the block without the checks and unique indexes that a superuser can drop; keys stay."""
    checks = link.execute(
        "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'u')"
    ).fetchall()
    for table, name, _ in checks:
        link.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    indexes = link.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " JOIN pg_class ON pg_class.oid = indexrelid"
        " WHERE relnamespace = 'public'::regnamespace AND indisunique AND NOT indisprimary"
    ).fetchall()
    for name, _ in indexes:
        link.execute(f"DROP INDEX {name}")
    try:
        yield
    finally:
        for table, name, definition in checks:
            link.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        for _, definition in indexes:
            link.execute(definition)
