"""Checks that each row with a history equals its last version, and that each history is a complete chain.

The list of tables comes from the database: those with a trigger that calls `row_change_record`, such as players,
sessions and audit entries.
"""

import hashlib
import json
from typing import Any, Final, NamedTuple

from django.db import connection

from apps.audit.models import RowChange
from apps.core.database_snapshot import rows_stream, text_settle
from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require

_TABLES_SQL: Final = """
    SELECT class.relname, string_to_array(encode(tgargs, 'escape'), '\\000')
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid JOIN pg_class AS class ON class.oid = tgrelid
    WHERE proname = 'row_change_record' AND class.relnamespace = 'public'::regnamespace ORDER BY 1
"""
_DISABLED_SQL: Final = """
    SELECT class.relname, tgname FROM pg_trigger JOIN pg_class AS class ON class.oid = tgrelid
    WHERE class.relnamespace = 'public'::regnamespace AND NOT tgisinternal AND tgenabled IN ('D', 'R') ORDER BY 1, 2
"""
_CHANGES_SQL: Final = """
    SELECT id, table_name, row_key, number, op, (extract(epoch FROM ctime) * 1000000)::bigint, content::text, hash
    FROM row_change ORDER BY table_name, row_key, number
"""
_UNWATCHED_SQL: Final = "SELECT DISTINCT table_name FROM row_change WHERE table_name <> ALL (%s) ORDER BY 1"
_SHOWN_CHARS: Final = 60


class _Table(NamedTuple):
    """A table with a history, from its trigger's arguments."""

    name: str
    key: list[str]
    left_out: list[str]
    hashed: list[str]


def row_changes_check(*, at_most: int) -> Check:
    """Check every history, and compare each row with its last version. Reports at most `at_most` rows of a table.

    The caller has opened `one_moment`. `checked` counts versions.
    """
    transaction_require()
    text_settle()
    checked = _chains_check()
    tables = _tables()
    findings = checked.findings + _triggers_findings([table.name for table in tables])
    for table in tables:
        findings += _rows_findings(table, at_most)
    return Check(checked.checked, findings)


def _tables() -> list[_Table]:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES_SQL)
        return [
            _Table(name, *([part for part in argument.split(",") if part] for argument in arguments[:3]))
            for name, arguments in cursor.fetchall()
        ]


def _triggers_findings(names: list[str]) -> list[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(_DISABLED_SQL)
        findings = [
            Finding(f"table {table}", f"its trigger {trigger} is switched off") for table, trigger in cursor.fetchall()
        ]
        cursor.execute(_UNWATCHED_SQL, [names])
        findings += [
            Finding(f"table {table}", "no trigger keeps its history any more") for (table,) in cursor.fetchall()
        ]
    return findings


def _chains_check() -> Check:
    """Compute the hashes of every row's history again, without the database's own function."""
    checked = 0
    findings = []
    of_row, number, head, is_broken = ("", ""), 0, b"", False
    for row_id, table, key, held_number, op, ctime_us, content, held_hash in rows_stream(_CHANGES_SQL):
        if (table, key) != of_row:
            of_row, number, head, is_broken = (table, key), 0, b"", False
        checked += 1
        number += 1
        text = f"{table}|{len(key.encode())}|{key}|{held_number}|{op}|{ctime_us}|{content}"
        fault = None
        if held_number != number:
            fault = f"version {number} of {table} row {key} was removed: version {held_number} follows"
        elif hashlib.sha256(head + text.encode()).digest() != bytes(held_hash):
            fault = f"it was altered: version {number} of {table} row {key} does not give its hash"
        if fault and not is_broken:
            findings.append(Finding(f"row_change row {row_id}", fault))
            is_broken = True  # After the first fault of a chain every hash is wrong.
        head = bytes(held_hash)
    return Check(checked, findings)


def _rows_findings(table: _Table, at_most: int) -> list[Finding]:
    key = " || ',' || ".join(f'held."{column}"::text' for column in table.key)
    hashes = ", ".join(
        f"'{column}', 'sha256:' || encode(sha256(convert_to((to_jsonb(held) -> '{column}')::text, 'UTF8')), 'hex')"
        for column in table.hashed
    )
    # A column that was added since is ignored until it is in the history.
    sql = f"""
        SELECT coalesce(latest.row_key, held.row_key), latest.op, latest.content, held.content
        FROM (
            SELECT DISTINCT ON (row_key) row_key, op, content FROM row_change
            WHERE table_name = %(table)s ORDER BY row_key, number DESC
        ) AS latest
        FULL JOIN (
            SELECT {key} AS row_key, (to_jsonb(held) - %(left_out)s::text[]) || jsonb_build_object({hashes}) AS content
            FROM "{table.name}" AS held
        ) AS held ON held.row_key = latest.row_key
        WHERE latest.op IS NULL OR (latest.op = '-') <> (held.content IS NULL) OR latest.op <> '-' AND EXISTS (
            SELECT FROM jsonb_each(latest.content) WHERE held.content -> key IS DISTINCT FROM value
        )
        ORDER BY 1 LIMIT %(at_most)s
    """  # noqa: S608 - names from the database's catalogue
    with connection.cursor() as cursor:
        cursor.execute(sql, {"table": table.name, "left_out": table.left_out, "at_most": at_most})
        return [Finding(f"{table.name} row {row[0]}", _sentence(table, *row[1:])) for row in cursor.fetchall()]


def _sentence(table: _Table, op: str | None, latest: Any, held: Any) -> str:
    if op is None:
        return "it has no history: it was put there past the triggers"
    if held is None:
        return "it was removed, and its history does not say so"
    if op == RowChange.Op.REMOVED:
        return "its history says that it was removed"
    expected, found = _decoded(latest), _decoded(held)
    column = min(name for name, value in expected.items() if found.get(name) != value)
    if column in table.hashed:
        return f"its {column} is not the one that its history ends with"
    return f"its {column} is {_shown(found.get(column))}, and its history ends with {_shown(expected[column])}"


def _decoded(content: Any) -> dict[str, Any]:
    value = json.loads(content) if isinstance(content, str) else content
    return dict(value)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
