"""Checks that sealed rows are unchanged, and that all rows that must be sealed are.

The hash chain of a wallet's movements is checked by ledger_check.py.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final

from django.db import connection

from apps.core.database_snapshot import rows_stream
from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.wallet.models import DailySeal
from apps.wallet.seal_sections import SealedRows, seal_is_whole, sealed_sections
from apps.wallet.sealed_rows import RowsDigest, SealedTable, sealed_tables

_BLOCKS_SQL: Final = "SELECT number, row_keys, fingerprints FROM sealed_block WHERE section_id = %s ORDER BY number"
_SEALS_SQL: Final = """
    SELECT id, day, coalesce(
        max(ctime) OVER (ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), '-infinity'
    ) AS rows_since
    FROM daily_seal
"""
_STRAY_SQL: Final = """
    SELECT id FROM sealed_block WHERE section_id <> ALL (%s) ORDER BY id LIMIT %s
"""


def sealed_rows_check(*, at_most: int, since: date | None = None) -> Check:
    """Compare every sealed row, or those of seals from `since` on, with its fingerprint.

    Reports at most `at_most` rows of a table. `seals_check` checks the seals themselves. The caller has opened
    `one_moment`. `checked` counts fingerprints.
    """
    transaction_require()
    seals = list(DailySeal.objects.order_by("day").prefetch_related("sections"))
    known = sealed_sections(seals)
    is_whole = all(seal_is_whole(seal) for seal in seals if seal.format != 1)
    findings = _stray_findings(known, at_most=at_most) if is_whole else []
    checked = 0
    tables = {table.name: table for table in sealed_tables()}
    for name, sections in known.items():
        asked = [each for each in sections if since is None or each.seal.day >= since]
        for each in asked:
            checked += each.rows.row_count
            findings += _digest_findings(name, each)
        if name not in tables:
            findings.append(Finding(f"table {name}", "it is sealed, and no trigger refuses its changes any more"))
            continue
        findings += _altered_findings(tables[name], asked, at_most=at_most)
        if is_whole:
            findings += _unsealed_findings(tables[name], sections, at_most=at_most)
    return Check(checked, findings)


def _stray_findings(known: dict[str, list[SealedRows]], *, at_most: int) -> list[Finding]:
    sections = [each.section_id for table in known.values() for each in table]
    with connection.cursor() as cursor:
        cursor.execute(_STRAY_SQL, [sections, at_most])
        return [Finding(f"sealed_block row {row_id}", "it belongs to no seal") for (row_id,) in cursor.fetchall()]


def _digest_findings(name: str, sealed: SealedRows) -> list[Finding]:
    """Return the findings about fingerprints that differ from those the seal covers."""
    digest = RowsDigest()
    is_whole = True
    for place, (number, keys, fingerprints) in enumerate(rows_stream(_BLOCKS_SQL, [sealed.section_id])):
        if number != place or len(keys) != len(fingerprints):
            is_whole = False
            break
        digest.add(keys, fingerprints)
    if is_whole and (digest.count, digest.hexdigest()) == (sealed.rows.row_count, sealed.rows.digest):
        return []
    return [Finding(f"seal of {sealed.seal.day}", f"the fingerprints of {name} kept with it were altered")]


def _altered_findings(table: SealedTable, sections: Iterable[SealedRows], *, at_most: int) -> list[Finding]:
    """Return the sealed rows that were removed or altered. Columns added since are ignored."""
    by_columns = defaultdict(list)
    for each in sections:
        by_columns[tuple(each.rows.columns)].append(each.section_id)
    findings = []
    for columns, section_ids in by_columns.items():
        if absent := sorted(set(columns) - set(table.columns)):
            findings.append(Finding(f"table {table.name}", f"its sealed column {absent[0]} is not there any more"))
            continue
        # The differing rows are materialized, so that the limit is applied to the result alone: PostgreSQL expects most
        # rows to differ, and with the limit inside it compares each sealed row with each row of the table until it has
        # enough, which takes the square of the number of rows when none differs.
        sql = f"""
            WITH differing AS MATERIALIZED (
                SELECT sealed.key, seal.day, held.key IS NULL AS is_gone
                FROM (
                    SELECT section_id, unnest(row_keys) AS key, unnest(fingerprints) AS fingerprint
                    FROM sealed_block WHERE section_id = ANY (%(sections)s)
                ) AS sealed
                JOIN sealed_section ON sealed_section.id = sealed.section_id
                JOIN ({_SEALS_SQL}) AS seal ON seal.id = sealed_section.seal_id
                LEFT JOIN (
                    SELECT {table.key} AS key, {table.fingerprint(columns)} AS fingerprint FROM "{table.name}" AS held
                ) AS held ON held.key = sealed.key
                {_removals(table)}
                WHERE held.fingerprint IS DISTINCT FROM sealed.fingerprint
                    AND NOT (held.key IS NULL AND {_lawfully_removed(table)})
            )
            SELECT key, day, is_gone FROM differing ORDER BY day, key LIMIT %(at_most)s
        """  # noqa: S608 - names from the database's catalogue
        with connection.cursor() as cursor:
            parameters: dict[str, Any] = {"table": table.name, "kept": table.kept_at_least, "at_most": at_most}
            cursor.execute(sql, parameters | {"sections": section_ids})
            rows = cursor.fetchall()
        findings += [
            Finding(
                f"{table.name} row {key}",
                f"it was removed: it was sealed on {day}" if is_gone else f"it is not as it was sealed on {day}",
            )
            for key, day, is_gone in rows
        ]
    return findings


def _removals(table: SealedTable) -> str:
    """Return the join of the recorded removals of the sealed rows, if rows of the table may be removed.

    Each record is read once: looking for a row in the lists of keys would take the square of the removed rows.
    """
    if table.kept_at_least is None:
        return ""
    return """LEFT JOIN (
        SELECT removed.key, max(removed.ctime) AS removed_at
        FROM (SELECT unnest(row_keys) AS key, ctime FROM row_removal WHERE table_name = %(table)s) AS removed
        GROUP BY removed.key
    ) AS removal ON removal.key = sealed.key"""


def _lawfully_removed(table: SealedTable) -> str:
    """Return the condition that the sealed row's removal is recorded and was due.

    A row in a seal was written after the previous seal, so it is not older than that.
    """
    if table.kept_at_least is None:
        return "false"
    return "coalesce(removal.removed_at >= seal.rows_since + %(kept)s::interval, false)"


def _unsealed_findings(table: SealedTable, sections: Sequence[SealedRows], *, at_most: int) -> list[Finding]:
    """Return rows that are in no seal although every row up to their place must be."""
    settled = sections[-1].rows.settled
    if settled is None:
        return []
    sql = f"""
        WITH sealed AS MATERIALIZED (
            SELECT unnest(row_keys) AS key FROM sealed_block WHERE section_id = ANY (%(sections)s)
        )
        SELECT found.key
        FROM (
            SELECT {table.key} AS key FROM "{table.name}" AS held
            WHERE {table.when} AND NOT ({table.behind("settled")})
        ) AS found
        WHERE NOT EXISTS (SELECT FROM sealed WHERE sealed.key = found.key)
        ORDER BY found.key LIMIT %(at_most)s
    """  # noqa: S608 - as above
    with connection.cursor() as cursor:
        section_ids = [each.section_id for each in sections]
        cursor.execute(sql, {"settled": settled, "sections": section_ids, "at_most": at_most})
        rows = cursor.fetchall()
    what = "it is in no seal, and stands among rows that are sealed: it was put there later"
    return [Finding(f"{table.name} row {key}", what) for (key,) in rows]
