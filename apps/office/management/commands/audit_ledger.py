"""`manage.py audit_ledger [--seals FILE]`: the former name of `audit ledger`."""

from typing import Any

from django.core.management.base import CommandParser

from apps.office.management.commands.audit import Command as AuditCommand
from apps.office.proof import ProofScope


class Command(AuditCommand):
    """Prove the ledger; exit code 1 if it does not hold."""

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, scope=ProofScope.LEDGER.value, **options)
