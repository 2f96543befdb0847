"""Creates the benchmark's tables and their players directly in its database."""

import asyncio
from typing import Any


def table_make(game_type: str, **wish: Any) -> Any:
    from apps.partners.models import Partner
    from apps.tables.rooms import RoomWish, partner_table_create

    made = RoomWish(game_type=game_type, currency_code=wish.pop("currency"), **wish)
    return partner_table_create(partner=Partner.objects.get(slug="bench"), actor="bench", wish=made)


def sessions_make(tables: list[Any], *, seated: int, watching: int = 0) -> list[str]:
    """Seat players at the tables and let others watch the last one; return their tokens in this order."""
    from apps.accounts.models import Player
    from apps.core.threads import in_loop
    from apps.tables.models import TableMember
    from apps.tables.services import seat_take
    from apps.tables.sessions import table_session_open

    count = seated * len(tables) + watching
    players = list(Player.objects.filter(partner__slug="bench").order_by("?")[:count])
    opened = [table_session_open(player=player, currency_code="FUN") for player in players]

    async def seats_take(place: int, table: Any) -> None:
        for session, _ in opened[place * seated : (place + 1) * seated]:
            await seat_take(session_id=session.pk, table_id=str(table.pk))

    async def all_seats_take() -> None:
        await asyncio.gather(*[seats_take(place, table) for place, table in enumerate(tables)])

    in_loop(all_seats_take())
    watchers = opened[seated * len(tables) :]
    TableMember.objects.bulk_create(TableMember(table=tables[-1], session=session) for session, _ in watchers)
    return [token for _, token in opened]


def tables_stop(tables: list[Any]) -> None:
    """Stop tables although players sit there, because the next measurement uses other tables."""
    from apps.tables.models import GameTable

    GameTable.objects.filter(pk__in=[table.pk for table in tables]).update(deadline=None)


def table_address(table: Any) -> dict[str, str]:
    return {"gameType": table.game_type, "tableId": str(table.pk)}
