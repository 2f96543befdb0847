"""Creates the benchmark's tables and their players directly in its database."""

import asyncio
import time
from typing import Any, Final

MADE_AT_ONCE: Final = 50
"""The sessions of one transaction."""
SEATED_AT_ONCE: Final = 8
STOPPED_S: Final = 0.5
"""Seconds without a deadline after which a table counts as stopped: until then closed sockets free their seats."""
STOP_TIMEOUT_S: Final = 60


def table_make(game_type: str, **wish: Any) -> Any:
    from apps.partners.models import Partner
    from apps.tables.table_creation import RoomOptions, partner_table_create

    made = RoomOptions(game_type=game_type, currency_code=wish.pop("currency"), **wish)
    return partner_table_create(partner=Partner.objects.get(slug="bench"), actor="bench", options=made)


def sessions_make(tables: list[Any], *, seated: int, watching: int = 0) -> list[str]:
    """Seat players at the tables and let others watch the last one; return their tokens in this order."""
    from django.db import transaction

    from apps.accounts.models import Player
    from apps.core.threads import in_loop
    from apps.tables.models import TableMember
    from apps.tables.services import seat_take
    from apps.tables.sessions import table_session_open

    count = seated * len(tables) + watching
    players = list(Player.objects.filter(partner__slug="bench").order_by("?")[:count])
    assert len(players) == count, f"{count} players are needed, and there are {len(players)}"
    opened: list[tuple[Any, str]] = []
    for first in range(0, count, MADE_AT_ONCE):
        with transaction.atomic():
            opened += [
                table_session_open(player=player, currency_code="FUN")
                for player in players[first : first + MADE_AT_ONCE]
            ]

    async def seats_take(place: int, table: Any) -> None:
        async with gate:
            for session, _ in opened[place * seated : (place + 1) * seated]:
                await seat_take(session_id=session.pk, table_id=str(table.pk))

    gate = asyncio.Semaphore(SEATED_AT_ONCE)

    async def all_seats_take() -> None:
        await asyncio.gather(*[seats_take(place, table) for place, table in enumerate(tables)])

    in_loop(all_seats_take())
    watchers = opened[seated * len(tables) :]
    TableMember.objects.bulk_create(TableMember(table=tables[-1], session=session) for session, _ in watchers)
    return [token for _, token in opened]


def tables_stop(tables: list[Any]) -> None:
    """Stop tables although players sit there, because the next measurement uses other tables."""
    from apps.tables.models import GameTable

    running = GameTable.objects.filter(pk__in=[table.pk for table in tables], deadline__isnull=False)
    timeout_at = time.monotonic() + STOP_TIMEOUT_S
    stopped_at = time.monotonic()
    while time.monotonic() < stopped_at + STOPPED_S:
        if running.update(deadline=None):
            stopped_at = time.monotonic()
        if time.monotonic() > timeout_at:
            raise SystemExit("Tables of the benchmark do not stop.")
        time.sleep(0.05)


def table_address(table: Any) -> dict[str, str]:
    return {"gameType": table.game_type, "tableId": str(table.pk)}
