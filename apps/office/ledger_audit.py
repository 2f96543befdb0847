"""The whole proof of the ledger: chains, seals, house snapshots, and the rounds of every game."""

from pathlib import Path
from typing import Final, NamedTuple

from apps.audit.row_changes_check import row_changes_check
from apps.core.findings import Finding
from apps.core.snapshot import one_moment
from apps.rounds.ledger_check import rounds_check
from apps.wallet.ledger_check import ledger_check, snapshots_check
from apps.wallet.sealed_tables_check import sealed_tables_check
from apps.wallet.seals_check import seals_check

ROUNDS_NAMED: Final = 100
ROWS_NAMED: Final = 20


class LedgerAudit(NamedTuple):
    """What was looked at, and what does not hold: rows of wallets first, by wallet and number."""

    movement_count: int
    seal_count: int
    round_count: int
    findings: list[Finding]


def ledger_audit(*, seal_file: Path | None = None, partner_id: int | None = None) -> LedgerAudit:
    """Prove the ledger, or a partner's part of it, as it stands at this moment, while play goes on.

    Raises OSError for the file.
    """
    with one_moment(read_only=True):
        movements = ledger_check(partner_id=partner_id)
        seals = seals_check(seal_file=seal_file, partner_id=partner_id)
        rounds = rounds_check(at_most=ROUNDS_NAMED, partner_id=partner_id)
        snapshots = snapshots_check(partner_id=partner_id)
        findings = movements.findings + seals.findings + snapshots + rounds.findings
        if partner_id is None:
            findings += row_changes_check(at_most=ROWS_NAMED).findings
            findings += sealed_tables_check(at_most=ROWS_NAMED).findings
    return LedgerAudit(movements.checked, seals.checked, rounds.checked, findings)
