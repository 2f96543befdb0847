"""The whole proof: the ledger, the seals and all sealed rows, the histories of rows that change, and every round."""

from collections.abc import Callable, Iterator
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from django.db import connection

from apps.audit.row_changes_check import row_changes_check
from apps.core.database_snapshot import one_moment
from apps.core.findings import Check, Finding
from apps.events.chain_check import events_check
from apps.office.redeal_check import rounds_redeal
from apps.rounds.bulk_check import RoundScope
from apps.rounds.ledger_check import rounds_ledger_check
from apps.rounds.round_rows_check import round_rows_check
from apps.statistics.recount_check import statistics_check
from apps.tables.all_rounds_check import table_rounds_check
from apps.wallet.ledger_check import ledger_check, snapshots_check
from apps.wallet.sealed_rows_check import sealed_rows_check
from apps.wallet.seals_check import seals_check

ROUNDS_NAMED: Final = 100
ROWS_NAMED: Final = 20
"""The most rows that findings name for a table and a kind of fault."""


class ProofScope(Enum):
    """The scope of a proof."""

    LEDGER = "ledger"
    ROUNDS = "rounds"
    ALL = "all"


class Proof(NamedTuple):
    """The numbers of checked rows, and the findings: wallets' rows first, by wallet and number."""

    scope: ProofScope
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


class Part(Enum):
    """The parts of a proof in their order: quick reads come before redeals."""

    MOVEMENTS = "movements"
    SEALS = "seals"
    SNAPSHOTS = "snapshots"
    EVENTS = "events"
    VERSIONS = "versions"
    SEALED_ROWS = "sealed rows"
    LEDGER_OF_ROUNDS = "ledger of rounds"
    ROUND_ROWS = "rows of rounds"
    REDEALT = "redealt rounds"
    TABLE_ROUNDS = "table rounds"
    STATISTICS = "statistics"


_OF_ROUNDS: Final = frozenset({Part.LEDGER_OF_ROUNDS, Part.ROUND_ROWS, Part.REDEALT, Part.TABLE_ROUNDS})


def proof_run(
    *,
    scope: ProofScope = ProofScope.ALL,
    seal_file: Path | None = None,
    partner_id: int | None = None,
    rounds_since: datetime | None = None,
    seals_since: date | None = None,
    all_statistics: bool = False,
) -> Proof:
    """Prove everything, or a partner's part of it, in one snapshot during play. Rounds that are open, or that ended at
    `rounds_since` or later, are dealt again. Rows under seals of `seals_since` or later are checked. Without these
    arguments everything is checked. The statistics are recounted for the days since `rounds_since`, for yesterday and
    for a random month, or for all days. Rows under seals and histories belong to no single partner, so only the proof
    of the whole checks them. Raises OSError for the file.
    """
    with one_moment(read_only=True):
        until = _database_now()
        parts = proof_parts(
            scope=scope,
            seal_file=seal_file,
            partner_id=partner_id,
            rounds_since=rounds_since,
            seals_since=seals_since,
            all_statistics=all_statistics,
        )
        checks = {part: check() for part, check in parts}
    checked = {part: checks[part].checked if part in checks else 0 for part in Part}
    return Proof(
        scope=scope,
        until=until,
        movement_count=checked[Part.MOVEMENTS],
        seal_count=checked[Part.SEALS],
        sealed_row_count=checked[Part.SEALED_ROWS],
        version_count=checked[Part.VERSIONS],
        round_count=checked[Part.LEDGER_OF_ROUNDS],
        redealt_count=checked[Part.REDEALT],
        table_round_count=checked[Part.TABLE_ROUNDS],
        round_finding_count=sum(len(check.findings) for part, check in checks.items() if part in _OF_ROUNDS),
        findings=[finding for check in checks.values() for finding in check.findings],
    )


def proof_parts(
    *,
    scope: ProofScope = ProofScope.ALL,
    seal_file: Path | None = None,
    partner_id: int | None = None,
    rounds_since: datetime | None = None,
    seals_since: date | None = None,
    all_statistics: bool = False,
) -> Iterator[tuple[Part, Callable[[], Check]]]:
    """Yield the parts of a `proof_run` in their order, each with its call, which runs in `one_moment`."""
    if scope is not ProofScope.ROUNDS:
        yield Part.MOVEMENTS, lambda: ledger_check(partner_id=partner_id)
        yield Part.SEALS, lambda: seals_check(seal_file=seal_file, partner_id=partner_id)
        yield Part.SNAPSHOTS, lambda: Check(0, snapshots_check(partner_id=partner_id))
        if partner_id is None:
            yield Part.EVENTS, events_check
            yield Part.VERSIONS, lambda: row_changes_check(at_most=ROWS_NAMED)
            yield Part.SEALED_ROWS, lambda: sealed_rows_check(at_most=ROWS_NAMED, since=seals_since)
    yield Part.LEDGER_OF_ROUNDS, lambda: rounds_ledger_check(at_most=ROUNDS_NAMED, partner_id=partner_id)
    if scope is not ProofScope.LEDGER:
        asked = RoundScope(partner_id, rounds_since)
        yield Part.ROUND_ROWS, lambda: round_rows_check(at_most=ROWS_NAMED, scope=asked)
        yield Part.REDEALT, lambda: rounds_redeal(at_most=ROUNDS_NAMED, scope=asked)
        yield (
            Part.TABLE_ROUNDS,
            lambda: table_rounds_check(at_most=ROUNDS_NAMED, partner_id=partner_id, since=rounds_since),
        )
    if partner_id is None and (all_statistics or scope is not ProofScope.LEDGER):
        since = None if all_statistics else rounds_since
        yield Part.STATISTICS, lambda: statistics_check(at_most=ROWS_NAMED, since=since)


def _database_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now: datetime = cursor.fetchone()[0]
        return now
