"""`manage.py table_bots --server URL`: practice bots play at the house's tables until the command is stopped."""

import asyncio
from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.build.build_start_check import build_start_check
from apps.fairness.seed_key_start_check import seed_key_start_check
from apps.partners.models import Partner
from apps.tables.practice_bots import BotSeat, bots_play
from apps.tables.practice_players import NAMES, bot_players, bot_tables

BOTS_A_TABLE: Final = 3
CURRENCY: Final = "FUN"


class Command(BaseCommand):
    help = "Have practice bots play at the house's tables for points and play money, until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--server", required=True, help="where pages and sockets are: http://127.0.0.1:8000")
        parser.add_argument("--bots", type=int, default=BOTS_A_TABLE, help="at each table; one seat stays free")

    def handle(self, *_: Any, **options: Any) -> None:
        build_start_check("bots")
        seed_key_start_check("bots")
        partner = Partner.objects.filter(is_house=True, active=True).first()
        if partner is None:
            raise CommandError("there is no house to play at")
        seats = list(_seats(partner, options["bots"]))
        self.stdout.write(f"{len(seats)} practice bots take their seats")
        asyncio.run(bots_play(options["server"].rstrip("/"), seats))


def _seats(partner: Partner, bots_a_table: int) -> Iterator[BotSeat]:
    players = cycle(bot_players(partner, len(NAMES), CURRENCY))
    for table in bot_tables(partner):
        for _, player in zip(range(min(bots_a_table, table.seats - 1)), players, strict=False):
            yield BotSeat(player.pk, CURRENCY, str(table.pk), table.game_type)
