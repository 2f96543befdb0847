"""The whole proof: the ledger, the seals and all sealed rows, the histories of rows that change, and every round."""

from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from django.db import connection

from apps.audit.row_changes_check import row_changes_check
from apps.core.findings import Finding
from apps.core.snapshot import one_moment
from apps.office.redeal_check import rounds_redeal
from apps.rounds.bulk_check import RoundScope
from apps.rounds.ledger_check import rounds_check
from apps.rounds.record_check import round_records_check
from apps.tables.proof import table_rounds_check
from apps.wallet.ledger_check import ledger_check, snapshots_check
from apps.wallet.sealed_tables_check import sealed_tables_check
from apps.wallet.seals_check import seals_check

ROUNDS_NAMED: Final = 100
ROWS_NAMED: Final = 20
"""Of a table and a kind of fault."""


class Scope(Enum):
    """The scope of a proof."""

    LEDGER = "ledger"
    ROUNDS = "rounds"
    ALL = "all"


class Proof(NamedTuple):
    """The numbers of checked rows, and the findings: wallets' rows first, by wallet and number."""

    scope: Scope
    until: datetime
    """The time of the checked snapshot, by the database's clock."""
    movement_count: int
    seal_count: int
    sealed_row_count: int
    version_count: int
    """Versions of rows that may change."""
    round_count: int
    redealt_count: int
    table_round_count: int
    """Rounds of tables, played again with all their seats; those of points tables too."""
    round_finding_count: int
    """The number of findings about rounds."""
    findings: list[Finding]


def proof_run(
    *,
    scope: Scope = Scope.ALL,
    seal_file: Path | None = None,
    partner_id: int | None = None,
    rounds_since: datetime | None = None,
    seals_since: date | None = None,
) -> Proof:
    """Prove everything, or a partner's part of it, in one snapshot during play.

    Of the rounds those that are open or ended from `rounds_since` on are dealt again, and rows under the seals of the
    days from `seals_since` on are looked at; without them all. What is no single partner's (rows under seals,
    histories) is in the proof of the whole alone. Raises OSError for the file.
    """
    movement_count = seal_count = sealed_row_count = version_count = redealt_count = table_round_count = 0
    findings: list[Finding] = []
    with one_moment(read_only=True):
        until = _database_now()
        if scope is not Scope.ROUNDS:
            movements = ledger_check(partner_id=partner_id)
            seals = seals_check(seal_file=seal_file, partner_id=partner_id)
            movement_count, seal_count = movements.checked, seals.checked
            findings += movements.findings + seals.findings + snapshots_check(partner_id=partner_id)
        others_count = len(findings)
        rounds = rounds_check(at_most=ROUNDS_NAMED, partner_id=partner_id)
        findings += rounds.findings
        if scope is not Scope.LEDGER:
            asked = RoundScope(partner_id, rounds_since)
            findings += round_records_check(at_most=ROWS_NAMED, scope=asked).findings
            redealt = rounds_redeal(at_most=ROUNDS_NAMED, scope=asked)
            redealt_count = redealt.checked
            findings += redealt.findings
            tables = table_rounds_check(at_most=ROUNDS_NAMED, partner_id=partner_id, since=rounds_since)
            table_round_count = tables.checked
            findings += tables.findings
        round_finding_count = len(findings) - others_count
        if scope is not Scope.ROUNDS and partner_id is None:
            versions = row_changes_check(at_most=ROWS_NAMED)
            rows = sealed_tables_check(at_most=ROWS_NAMED, since=seals_since)
            version_count, sealed_row_count = versions.checked, rows.checked
            findings += versions.findings + rows.findings
    return Proof(
        scope,
        until,
        movement_count,
        seal_count,
        sealed_row_count,
        version_count,
        rounds.checked,
        redealt_count,
        table_round_count,
        round_finding_count,
        findings,
    )


def _database_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now: datetime = cursor.fetchone()[0]
        return now
