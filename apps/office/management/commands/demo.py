"""`manage.py demo [--json]`: fill the database with the demo and print the log-ins."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.core import json
from apps.core.money import plain
from apps.fairness.seed_key_start_check import seed_key_check
from apps.office.demo import Demo, demo_fill


class Command(BaseCommand):
    help = "Fill the database with partners, people, players, limits, odds and API keys to try; print the log-ins."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        password = settings.PUNTO_DEMO_PASSWORD
        if not password:
            raise CommandError("PUNTO_DEMO_PASSWORD is not set: outside DEBUG the demo's log-ins have no default")
        seed_key_check("demo")
        demo = demo_fill(password=password)
        self.stdout.write(demo_json(demo, password) if options["json"] else demo_text(demo, password))


def demo_json(demo: Demo, password: str) -> str:
    """Return the demo as one JSON object; the `key` of an API key is null if an earlier run printed it."""
    return json.encode(
        {
            "password": password,
            "logins": [
                {"username": login.username, "role": login.role.value, "partner": login.partner}
                for login in demo.logins
            ],
            "players": [
                {
                    "partner": player.partner,
                    "reference": player.reference,
                    "currency": player.currency,
                    "balance": plain(player.balance),
                }
                for player in demo.players
            ],
            "api_keys": [{"partner": key.partner, "prefix": key.prefix, "key": key.text} for key in demo.keys],
        }
    ).decode()


def demo_text(demo: Demo, password: str) -> str:
    """Return the demo as lines for people."""
    logins = [
        f"  {login.username:<14} {login.role.label}{f' of {login.partner}' if login.partner else ''}"
        for login in demo.logins
    ]
    players = [
        f"  {player.reference:<14} {player.partner:<10} {plain(player.balance):>8} {player.currency}"
        for player in demo.players
    ]
    keys = [
        f"  {key.partner:<14} {key.text or f'{key.prefix}... (its text was shown by the run that made it)'}"
        for key in demo.keys
    ]
    title = f"Log-ins of the demo, all with the password {password}"
    return "\n".join([title, *logins, "Players", *players, "API keys", *keys])
