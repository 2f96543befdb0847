"""The tables that a seal covers row by row, and the fingerprints of their rows.

The list comes from the database: a table is sealed if a trigger calls `change_refuse` before UPDATE, if its model
defines when its rows become final (`sealed_when`), or if it names the only columns that may change (`sealed_without`).
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.db import connection

from apps.core import json
from apps.core.database_snapshot import rows_stream, text_settle

SEAL_TABLES: Final = frozenset({"daily_seal", "sealed_head", "sealed_section", "sealed_block"})
"""A seal's own tables are covered by its root and its HMAC."""

BLOCK_ROWS: Final = 1_000
FINGERPRINT_BYTES: Final = 16
CLOCK_GRACE: Final = "1 day"
"""How far the database's clock may be set back without a section missing rows of tables that are read by time."""

_TABLES_SQL: Final = """
    SELECT class.relname,
        (SELECT array_agg(attname::text ORDER BY attname) FROM pg_attribute
         WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped),
        (SELECT array_agg(attname::text ORDER BY array_position(index.indkey::int[], attnum::int)) FROM pg_attribute
         WHERE attrelid = class.oid AND attnum = ANY (index.indkey)),
        (SELECT array_agg(atttypid::regtype::text) FROM pg_attribute
         WHERE attrelid = class.oid AND attnum = ANY (index.indkey))
    FROM pg_class AS class JOIN pg_index AS index ON index.indrelid = class.oid AND index.indisprimary
    WHERE class.relnamespace = 'public'::regnamespace AND class.relname <> ALL (%(seals)s) AND (
        class.relname = ANY (%(final)s) OR EXISTS (
            SELECT FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
            WHERE tgrelid = class.oid AND proname = 'change_refuse' AND tgtype & 16 <> 0
        )
    ) ORDER BY class.relname
"""


class SealedTable(NamedTuple):
    """A table that seals cover. Its texts are SQL about the table under the alias `held`."""

    name: str
    columns: tuple[str, ...]
    """Those that are fingerprinted."""
    key: str
    """The primary key as one text."""
    place: str
    """The column that orders the rows, except those that commit late."""
    place_type: str
    when: str
    """The condition for final rows."""
    kept_at_least: timedelta | None
    """The age from which rows may be removed, or None."""

    def fingerprint(self, columns: Iterable[str]) -> str:
        """Return the expression for a row's fingerprint: the beginning of a SHA-256 over those columns."""
        row = ", ".join(f'held."{column}"' for column in columns)
        text = f"pg_catalog.convert_to(ROW({row})::pg_catalog.text, 'UTF8')"
        return f"pg_catalog.substr(pg_catalog.sha256({text}), 1, {FINGERPRINT_BYTES})"

    def behind(self, name: str) -> str:
        """Return the condition that a row's place is after the parameter of that name."""
        return f"{self.place} > %({name})s::{self.place_type}"

    def may_hold(self, rows: "TableSection", *, after: str | None) -> bool:
        """Return whether a section may contain rows after that place."""
        if after is None or rows.high is None or self.place_type != "bigint":
            return rows.high is not None
        return int(rows.high) > int(after)


class TableSection(NamedTuple):
    """A seal's statement about a table: the content of its leaf."""

    columns: list[str]
    row_count: int
    """The digest of the rows that this seal covers and no earlier one does."""
    digest: str
    high: str | None
    """The last place of these rows; None without a row."""
    settled: str | None
    """The place up to which no more rows can appear; None if it is still unknown."""

    def to_json(self) -> str:
        return json.canonical(self._asdict()).decode()


def sealed_tables() -> list[SealedTable]:
    """Return all of them, by name."""
    text_settle()
    models = {model._meta.db_table: model for model in apps.get_models()}
    final = [
        name for name, model in models.items() if hasattr(model, "sealed_when") or hasattr(model, "sealed_without")
    ]
    with connection.cursor() as cursor:
        cursor.execute(_TABLES_SQL, {"seals": list(SEAL_TABLES), "final": final})
        return [_table(row, models.get(row[0])) for row in cursor.fetchall()]


def unsealed_rows(
    table: SealedTable, *, sections: Sequence[int], after: str | None
) -> Iterator[tuple[str, bytes, str]]:
    """Yield key, fingerprint and place of each final row after `after` that belongs to none of these sections."""
    sql = f"""
        WITH sealed AS MATERIALIZED (
            SELECT unnest(row_keys) AS key FROM sealed_block WHERE section_id = ANY (%(sections)s)
        )
        SELECT fresh.key, fresh.fingerprint, fresh.place::text
        FROM (
            SELECT {table.key} AS key, {table.fingerprint(table.columns)} AS fingerprint, {table.place} AS place
            FROM "{table.name}" AS held
            WHERE {table.when} AND {"true" if after is None else table.behind("after")}
        ) AS fresh
        WHERE NOT EXISTS (SELECT FROM sealed WHERE sealed.key = fresh.key)
        ORDER BY fresh.place, fresh.key
    """  # noqa: S608 - names from the database's catalogue and conditions of our models
    parameters: dict[str, object] = {"sections": list(sections)}
    if after is not None:
        parameters["after"] = after
    yield from rows_stream(sql, parameters)


def blocks_of(rows: Iterable[tuple[str, bytes, str]]) -> Iterator[list[tuple[str, bytes, str]]]:
    """Yield the rows in lists of BLOCK_ROWS."""
    left = iter(rows)
    while block := list(islice(left, BLOCK_ROWS)):
        yield block


class RowsDigest:
    """SHA-256 over the keys and fingerprints of rows in their order."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.count = 0

    def add(self, keys: Iterable[str], fingerprints: Iterable[bytes]) -> None:
        for key, fingerprint in zip(keys, fingerprints, strict=True):
            # No text of PostgreSQL has a zero byte.
            self._digest.update(key.encode() + b"\x00" + bytes(fingerprint))
            self.count += 1

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def _table(row: tuple[str, list[str], list[str], list[str]], model: Any) -> SealedTable:
    name, columns, key_columns, key_types = row
    key = ", ".join(f'held."{column}"' for column in key_columns)
    place, place_type = _place(name, columns, key_columns, key_types, model)
    return SealedTable(
        name=name,
        columns=tuple(column for column in columns if column not in getattr(model, "sealed_without", ())),
        key=f"({key})::text" if len(key_columns) == 1 else f"ROW({key})::text",
        place=place,
        place_type=place_type,
        when=getattr(model, "sealed_when", "true"),
        kept_at_least=getattr(model, "KEPT_AT_LEAST", None),
    )


def _place(name: str, columns: list[str], key_columns: list[str], key_types: list[str], model: Any) -> tuple[str, str]:
    if hasattr(model, "sealed_by"):
        return model.sealed_by, "timestamptz"
    if len(key_columns) == 1 and key_types[0] in {"bigint", "integer"}:
        return f'held."{key_columns[0]}"', "bigint"
    if "ctime" in columns:
        return "held.ctime", "timestamptz"
    raise RuntimeError(f"{name} is written once, and has neither a number nor a ctime to be read by")
