"""`manage.py data_lost restore|personal --reason TEXT`."""

import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.core.errors import BadRequest
from apps.office.data_loss import KINDS, data_loss_record


class Command(BaseCommand):
    """Record that data was lost."""

    help = "Records that data was lost by a restore, or that personal data was, as a significant event."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=list(KINDS))
        parser.add_argument("--reason", required=True, metavar="TEXT", help="what was lost, and since when")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            data_loss_record(kind=options["kind"], reason=options["reason"], actor=f"command by {getpass.getuser()}")
        except BadRequest as error:
            raise CommandError(str(error)) from error
        self.stdout.write("recorded")
