"""`manage.py round_bundle`: writes a round's bundle into a file."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.bundles.services import bundle_name, bundle_zip
from apps.core.errors import DomainError
from apps.rounds.models import Round


class Command(BaseCommand):
    help = "Write the bundle of a round, a ZIP file that proves it without this server."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round_id", type=UUID)
        parser.add_argument("--to", type=Path, help="the file; round-<beginning of the id>.zip here by default")

    def handle(self, *_: Any, **options: Any) -> None:
        path: Path = options["to"] or Path(bundle_name(options["round_id"]))
        try:
            path.write_bytes(bundle_zip(round_id=options["round_id"]))
        except Round.DoesNotExist as error:
            raise CommandError(f"there is no round {options['round_id']}") from error
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{path}: unpack it, and run verify.py in it.")
