"""Changes of a table are announced to the processes that follow it, and to no other."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from apps.core.pubsub import Audience, announce
from apps.tables.event_feed import TOPIC
from apps.tables.models import GameTable
from casino.settings.waits import WAIT_S
from tests.support.server import Server
from tests.support.tables import players_make, seated, session_make, sit, table_make


class Heard:
    """Keeps the announcements that arrive."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._news = asyncio.Event()

    def put_nowait(self, item: dict[str, Any], /) -> None:
        self.items.append(item)
        self._news.set()

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first announcement that is as wanted."""
        async with asyncio.timeout(WAIT_S):
            while not (found := [item for item in self.items if wanted(item)]):
                self._news.clear()
                await self._news.wait()
        return found[0]


def test_a_change_is_announced_to_a_process_that_follows_the_table_and_to_no_other(
    committed: None, shared_server: Server
) -> None:
    partner, (player,) = players_make(1)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60)
    session, token = session_make(player)
    sit(session, table)
    table_id = str(table.pk)

    def changes(heard: Heard) -> list[int]:
        return [
            item["version"] for item in heard.items if item["type"] == "table.changed" and item["table"] == table_id
        ]

    async def play() -> None:
        heard = Heard()
        await Audience().join([TOPIC], heard)
        async with seated(shared_server, token) as client:
            await heard.until(lambda item: item["type"] == "table.followed" and table_id in item["tables"])
            for amount in (10, 20, 30):
                assert (await client.act(table, "place_bet", betType="player", amount=amount))["type"] == "ack"
            before = await version_of(table)
            other = {"type": "table.followed", "process": str(uuid4()), "tables": [table_id]}
            await announce([TOPIC], other)
            told = await heard.until(lambda item: item["type"] == "table.versions" and table_id in item["versions"])
            assert told["versions"][table_id] == before
            assert changes(heard) == []
            assert (await client.act(table, "clear_bets"))["type"] == "ack"
            await heard.until(lambda item: item["type"] == "table.changed" and item["table"] == table_id)
            assert changes(heard) == [before + 1]

    asyncio.run(play())


async def version_of(table: GameTable) -> int:
    row = await GameTable.objects.aget(pk=table.pk)
    return row.version


def test_a_process_that_begins_is_told_which_tables_are_followed(committed: None, shared_server: Server) -> None:
    partner, (player,) = players_make(1)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60)
    session, token = session_make(player)
    sit(session, table)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            await client.until("game_state_update")
            heard = Heard()
            await Audience().join([TOPIC], heard)
            await announce([TOPIC], {"type": "table.asked", "process": str(uuid4())})
            await heard.until(lambda item: item["type"] == "table.followed" and str(table.pk) in item["tables"])

    asyncio.run(play())
