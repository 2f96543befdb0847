"""`manage.py audit_ledger [--seals FILE]`."""

from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.office.ledger_audit import ledger_audit

FINDINGS_SHOWN: Final = 20


class Command(BaseCommand):
    """Prove that no movement of money was altered, removed or reordered; exit code 1 if one was."""

    help = "Proves that nothing in the ledger was altered, removed or reordered, and names the first row where it was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seals", type=Path, metavar="FILE", help="the seals' copy outside the database")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            audit = ledger_audit(seal_file=options["seals"])
        except OSError as error:
            raise CommandError(f"cannot read {options['seals']}: {error.strerror}") from error
        looked_at = f"{audit.movement_count} movements, {audit.seal_count} seals and {audit.round_count} rounds"
        if not audit.findings:
            self.stdout.write(f"The ledger holds: {looked_at} were checked, and nothing was altered.")
            return
        for finding in audit.findings[:FINDINGS_SHOWN]:
            self.stdout.write(f"{finding.where}: {finding.what}")
        if (more := len(audit.findings) - FINDINGS_SHOWN) > 0:
            self.stdout.write(f"and {more} more")
        first = audit.findings[0]
        raise CommandError(f"The ledger does not hold. First: {first.where}: {first.what}.")
