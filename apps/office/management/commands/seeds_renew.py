"""`manage.py seeds_renew --reason TEXT`: new seeds for all players, after a restore that has lost rounds."""

import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.core.count_texts import counted
from apps.core.errors import DomainError
from apps.fairness.seed_key_start_check import seed_key_check
from apps.office.data_loss import all_seeds_renew


class Command(BaseCommand):
    """Renew the seeds of all players."""

    help = (
        "Gives every player new server seeds, and reveals the former ones, which would deal again what a restore has"
        " lost. A player with an open solo round is left out: end the round, and run the command again. After a run"
        " that was killed, the next one with the same reason continues it, unless the database was restarted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", required=True, metavar="TEXT", help="what was lost, and since when")

    def handle(self, *_args: Any, **options: Any) -> None:
        seed_key_check("seeds_renew")
        try:
            done = all_seeds_renew(reason=options["reason"], actor=f"command by {getpass.getuser()}")
        except DomainError as error:
            raise CommandError(error.message) from error
        left = f"{done.left} left because of an open round or a bet at that moment"
        before = f", {done.renewed_before} renewed before by a run that was killed" if done.renewed_before else ""
        self.stdout.write(f"{counted(done.renewed, 'player')} renewed, {left}{before}")
