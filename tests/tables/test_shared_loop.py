"""The lobby's changes of tables run on the process's own event loop, with connections that stay open."""

import asyncio

from django.db import connection

from tests.support.server import Server
from tests.support.tables import players_make, session_make, table_make
from tests.tables.client import table_client

CALLS = 20


def test_many_calls_of_the_lobby_open_few_connections(committed: None, shared_server: Server) -> None:
    partner, [player] = players_make(1)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    token = session_make(player)[1]

    async def call(times: int) -> None:
        async with table_client(shared_server.url, token, chance=0) as client:
            for _ in range(times):
                await client.lobby.call("POST", f"/api/rooms/{table.pk}/watch")

    asyncio.run(call(1))
    before = sessions_opened()
    asyncio.run(call(CALLS))
    assert sessions_opened() - before < CALLS / 2


def sessions_opened() -> int:
    """Return the number of connections ever made to the test's database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_stat_clear_snapshot(), sessions FROM pg_stat_database WHERE datname = current_database()"
        )
        return int(cursor.fetchone()[1])
