"""`manage.py blackjack`: the terminal game as a Django command."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.blackjack.terminal.main import main


class Command(BaseCommand):
    """Passes its arguments on; the game needs neither settings nor a database."""

    help = "Blackjack at this terminal, against the dealer."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        raise SystemExit(main(argv[2:]))

    def handle(self, *_args: Any, **_options: Any) -> None:
        main([])
