"""`manage.py audit ledger|rounds|all [--since DAY] [--full] [--stats] [--seals FILE]`."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.core.count_texts import counted
from apps.office.nightly_proof import rounds_unproven_since
from apps.office.proof import Proof, ProofScope, proof_run

FINDINGS_SHOWN: Final = 20


class Command(BaseCommand):
    """Prove that nothing was altered, removed, added or reordered; exit code 1 if something was."""

    help = "Proves that nothing in any table was altered, removed or reordered, and names the rows where it was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "scope", nargs="?", choices=[scope.value for scope in ProofScope], default=ProofScope.ALL.value
        )
        self.add_options(parser)
        when = parser.add_mutually_exclusive_group()
        when.add_argument(
            "--since",
            type=date.fromisoformat,
            metavar="DAY",
            help="deal the rounds again that ended from this day on, and look at rows under its and later seals;"
            " without it: the rounds since the last proof that found nothing, and all sealed rows",
        )
        when.add_argument("--full", action="store_true", help="deal all rounds again")

    def add_options(self, parser: CommandParser) -> None:
        """Add the options that `audit_ledger` shares."""
        parser.add_argument("--stats", action="store_true", help="recount every day of the statistics")
        parser.add_argument("--seals", type=Path, metavar="FILE", help="the seals' copy outside the database")

    def handle(self, *_args: Any, **options: Any) -> None:
        since: date | None = options.get("since")
        if options.get("full"):
            rounds_since = None
        elif since is not None:
            rounds_since = datetime.combine(since, time(), UTC)
        else:
            rounds_since = rounds_unproven_since()
        try:
            proof = proof_run(
                scope=ProofScope(options["scope"]),
                seal_file=options["seals"],
                rounds_since=rounds_since,
                seals_since=since,
                all_statistics=options["stats"],
            )
        except OSError as error:
            raise CommandError(f"cannot read {options['seals']}: {error.strerror}") from error
        self._report(proof)

    def _report(self, proof: Proof) -> None:
        name, verb = _NAMES[proof.scope]
        if not proof.findings:
            self.stdout.write(f"{name} {verb}: {_looked_at(proof)} were checked, and nothing was altered.")
            return
        for finding in proof.findings[:FINDINGS_SHOWN]:
            self.stdout.write(f"{finding.where}: {finding.what}")
        if (more := len(proof.findings) - FINDINGS_SHOWN) > 0:
            self.stdout.write(f"and {more} more")
        first = proof.findings[0]
        negated = "does not hold" if verb == "holds" else "do not hold"
        raise CommandError(f"{name} {negated}. First: {first.where}: {first.what}.")


_NAMES: Final = {
    ProofScope.LEDGER: ("The ledger", "holds"),
    ProofScope.ROUNDS: ("The rounds", "hold"),
    ProofScope.ALL: ("The ledger and the rounds", "hold"),
}


def _looked_at(proof: Proof) -> str:
    counts = []
    if proof.scope is not ProofScope.ROUNDS:
        counts += [
            counted(proof.movement_count, "movement"),
            counted(proof.seal_count, "seal"),
            counted(proof.sealed_row_count, "sealed row"),
            counted(proof.version_count, "version of rows", "versions of rows"),
        ]
    counts.append(counted(proof.round_count, "round"))
    if proof.scope is not ProofScope.LEDGER:
        counts.append(counted(proof.table_round_count, "round of tables", "rounds of tables"))
        counts.append(counted(proof.redealt_count, "round dealt again", "rounds dealt again"))
    return f"{', '.join(counts[:-1])} and {counts[-1]}"
