"""The whole proof: the ledger, the seals, all that is under them, the history of rows that change, and every round."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from django.db import connection
from django.db.models import Q

from apps.audit.row_changes_check import row_changes_check
from apps.core.findings import Finding
from apps.core.snapshot import one_moment
from apps.fairness.seeds import RoundSeeds, Seeds
from apps.fairness.services import draw_again
from apps.office.verification.rounds import record_check
from apps.rounds.ledger_check import rounds_check
from apps.rounds.models import Round, RoundEnd
from apps.rounds.record_check import round_records_check
from apps.rounds.registry import game_ids, games
from apps.tables.proof import UNREADABLE, table_rounds_check
from apps.wallet.ledger_check import ledger_check, snapshots_check
from apps.wallet.sealed_tables_check import sealed_tables_check
from apps.wallet.seals_check import seals_check

ROUNDS_NAMED: Final = 100
ROWS_NAMED: Final = 20
"""Of a table and a kind of fault."""
_ROUNDS_AT_ONCE: Final = 2_000


class Scope(Enum):
    """What is proven."""

    LEDGER = "ledger"
    ROUNDS = "rounds"
    ALL = "all"


class Proof(NamedTuple):
    """What was looked at, and what does not hold: rows of wallets first, by wallet and number."""

    scope: Scope
    until: datetime
    """The moment that was looked at, by the database's clock."""
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
    """Of the findings those that are of rounds."""
    findings: list[Finding]


def proof_run(
    *,
    scope: Scope = Scope.ALL,
    seal_file: Path | None = None,
    partner_id: int | None = None,
    rounds_since: datetime | None = None,
    seals_since: date | None = None,
) -> Proof:
    """Prove everything, or a partner's part of it, as it stands at this moment, while play goes on.

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
            findings += round_records_check(at_most=ROWS_NAMED, partner_id=partner_id, since=rounds_since).findings
            redealt_count = _rounds_redeal(findings, partner_id=partner_id, since=rounds_since)
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


def _rounds_redeal(findings: list[Finding], *, partner_id: int | None, since: datetime | None) -> int:
    """Deal rounds again as far as they went, add what is found, and return how many there were."""
    count = found = 0
    seeds = _Seeds()
    for played in _rounds(partner_id, since):
        count += 1
        if found < ROUNDS_NAMED and (faults := _round_faults(played, seeds)):
            findings.append(Finding(f"round {played.pk}", "; ".join(faults)))
            found += 1
    return count


class _Seeds:
    """Opens each seed pair once for the rounds of it that follow each other."""

    def __init__(self) -> None:
        self._opened: tuple[int, Seeds] | None = None

    def of(self, played: Round) -> RoundSeeds:
        pair = played.seed_pair
        assert pair is not None
        if self._opened is None or self._opened[0] != pair.pk:
            draw = draw_again(pair, played.nonce)
            self._opened = pair.pk, Seeds(draw.server_seed, draw.client_seed, draw.nonce)
        return replace(self._opened[1], nonce=played.nonce)


def _round_faults(played: Round, seeds: _Seeds) -> list[str]:
    try:
        faults = record_check(played, seeds.of(played)).differences
    except UNREADABLE as error:
        # Its text may tell a card or a seed.
        return [f"it cannot be dealt again from its record: {type(error).__name__}"]
    if faults and played.how_ended == RoundEnd.OPEN:
        return ["it is open, and what is recorded of it does not follow from its seeds"]
    return faults


def _rounds(partner_id: int | None, since: datetime | None) -> Iterator[Round]:
    # Rounds of one pair come together, so that it is read and its seed opened once for many of them.
    rounds = Round.objects.filter(table_round__isnull=True).order_by("seed_pair", "nonce")
    if partner_id is not None:
        rounds = rounds.filter(partner_id=partner_id)
    if since is not None:
        rounds = rounds.filter(Q(how_ended=RoundEnd.OPEN) | Q(ended_at__gte=since))
    for game in games():
        read = ("seed_pair", "currency", *game.explanation.reads)
        yield from rounds.filter(game=game.id).prefetch_related(*read).iterator(chunk_size=_ROUNDS_AT_ONCE)
    yield from rounds.exclude(game__in=game_ids()).iterator(chunk_size=_ROUNDS_AT_ONCE)


def _database_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now: datetime = cursor.fetchone()[0]
        return now
