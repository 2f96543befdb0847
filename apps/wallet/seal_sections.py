"""The sections of a seal of format 2; each is a leaf of a Merkle tree.

`moment` is the time of the seal, `wallets` the heads of the wallets' chains, `kept` those of them that are kept with
this seal, and there is one `table` for each write-once table. Other types may be added; a section that was sealed once
is in every later seal.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec
from django.db import connection

from apps.core import json
from apps.wallet.merkle import leaf_hash, merkle_root
from apps.wallet.models import DailySeal, SealedSection
from apps.wallet.sealed_heads import Heads
from apps.wallet.sealed_rows import (
    CLOCK_GRACE,
    RowsDigest,
    SealedTable,
    TableSection,
    blocks_of,
    sealed_tables,
    unsealed_rows,
)

MOMENT: Final = "moment"
WALLETS: Final = "wallets"
KEPT: Final = "kept"
TABLE: Final = "table"

_MOMENT_SQL: Final = """
    SELECT now(), pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint
"""
_BLOCK_SQL: Final = """
    INSERT INTO sealed_block (section_id, number, row_keys, fingerprints) VALUES (%s, %s, %s::text[], %s::bytea[])
"""


class Section(NamedTuple):
    """One leaf: its type and name, and its content as canonical JSON."""

    type: str
    name: str
    content: str


class SealedRows(NamedTuple):
    """A seal's rows of a table."""

    section_id: int
    seal: DailySeal
    rows: TableSection


class Moment(NamedTuple):
    """The moment of a seal: the database's time, and the transactions that it does not cover."""

    taken_at: datetime
    xmin: int
    """All transactions before this one had ended."""
    xmax: int
    """No transaction from this one on had started to write."""

    def to_section(self) -> Section:
        values = {"taken_at": self.taken_at.isoformat(), "xmin": self.xmin, "xmax": self.xmax}
        return Section(MOMENT, "", json.canonical(values).decode())


def moment_now() -> Moment:
    """Return the moment of the caller's snapshot."""
    with connection.cursor() as cursor:
        cursor.execute(_MOMENT_SQL)
        return Moment._make(cursor.fetchone())


def moment_read(content: str) -> Moment:
    """Return a section's moment."""
    values = msgspec.json.decode(content)
    return Moment(datetime.fromisoformat(values["taken_at"]), values["xmin"], values["xmax"])


def moment_of(seal: DailySeal) -> Moment | None:
    """Return the moment of a seal, or None."""
    return next((moment_read(each.content) for each in seal.sections.all() if each.type == MOMENT), None)


def table_section_read(content: str) -> TableSection:
    """Return a section's statement about its table."""
    return TableSection(**msgspec.json.decode(content))


def heads_section(section_type: str, heads: Heads) -> Section:
    """Return the section of that type, WALLETS or KEPT, about these heads."""
    values = {"wallet_count": heads.wallet_count, "row_count": heads.row_count, "root": heads.heads_hash}
    return Section(section_type, "", json.canonical(values).decode())


def sections_root(sections: Iterable[Section]) -> str:
    """Return the Merkle root over the sections, by type and name, in hexadecimal."""
    leaves = (leaf_hash(f"{each.type}|{each.name}|{each.content}".encode()) for each in sorted(sections))
    return merkle_root(leaves).hex()


def seal_is_whole(seal: DailySeal) -> bool:
    """Return whether the seal is of format 2 and its sections give its root."""
    sections = (Section(each.type, each.name, each.content) for each in seal.sections.all())
    return seal.format == DailySeal.FORMAT and sections_root(sections) == seal.root


def sealed_sections(seals: Iterable[DailySeal]) -> dict[str, list[SealedRows]]:
    """Return each table's sections in the order of the seals; incomplete seals are ignored."""
    known: dict[str, list[SealedRows]] = {}
    for seal in filter(seal_is_whole, seals):
        for each in seal.sections.all():
            if each.type == TABLE:
                known.setdefault(each.name, []).append(SealedRows(each.pk, seal, table_section_read(each.content)))
    return known


def table_sections_write(*, seal_id: int, moment: Moment) -> list[Section]:
    """Fingerprint every row that is not sealed yet, and return a section for each table. The caller writes the seal.

    The caller has opened `one_moment`.
    """
    seals = [seal for seal in DailySeal.objects.order_by("day").prefetch_related("sections") if seal_is_whole(seal)]
    known = sealed_sections(seals)
    taken = moment_of(seals[-1]) if seals else None
    sections = []
    for table in sealed_tables():
        former = known.get(table.name, [])
        section_id = next_id("sealed_section")
        content = _rows_write(table, section_id, former, taken, moment).to_json()
        SealedSection(pk=section_id, seal_id=seal_id, type=TABLE, name=table.name, content=content).save(
            force_insert=True
        )
        sections.append(Section(TABLE, table.name, content))
    return sections


def next_id(table: str) -> int:
    """Return an id for a row of the table that is written after the rows that refer to it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id'))", [table])
        return int(cursor.fetchone()[0])


def _rows_write(
    table: SealedTable, section_id: int, former: Sequence[SealedRows], taken: Moment | None, moment: Moment
) -> TableSection:
    after = former[-1].rows.settled if former else None
    digest = RowsDigest()
    high = None
    sealed = [each.section_id for each in former if table.may_hold(each.rows, after=after)]
    with connection.cursor() as cursor:
        for number, block in enumerate(blocks_of(unsealed_rows(table, sections=sealed, after=after))):
            keys, fingerprints = [row[0] for row in block], [bytes(row[1]) for row in block]
            digest.add(keys, fingerprints)
            high = block[-1][2]
            cursor.execute(_BLOCK_SQL, [section_id, number, keys, fingerprints])
    settled = _settled(table, former, taken, moment)
    return TableSection(list(table.columns), digest.count, digest.hexdigest(), high, settled)


def _settled(table: SealedTable, former: Sequence[SealedRows], taken: Moment | None, moment: Moment) -> str | None:
    """Return the place up to which no more rows can appear.

    A row that commits late was written by a transaction that was running at the previous seal. After all of those have
    ended, the places before that seal are final.
    """
    if not former or taken is None:
        return None
    if moment.xmin < taken.xmax:
        return former[-1].rows.settled
    if table.place_type == "bigint":
        return max((each.rows.high for each in former if each.rows.high is not None), key=int, default=None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT (%s::timestamptz - %s::interval)::text", [taken.taken_at, CLOCK_GRACE])
        return str(cursor.fetchone()[0])
