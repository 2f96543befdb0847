"""`manage.py blackjack`: the terminal game, for whoever looks for it among Django's commands."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.blackjack.terminal.main import main


class Command(BaseCommand):
    """Hands its arguments on; the game itself needs neither settings nor a database."""

    help = "Blackjack at this terminal, against the dealer."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        raise SystemExit(main(argv[2:]))

    def handle(self, *_args: Any, **_options: Any) -> None:
        main([])
