"""A client that reads the served specifications learns each hosted game from them, and plays rounds: 25 in `make test`,
a hundred in `make soak`.
"""

import asyncio

import pytest

from apps.tables.models import GameTable, TableRound
from apps.tables.registry import table_games
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.tables import players_make, session_make, table_make
from tests.tables.client import OpenTable, Refused, TableClient, table_client

pytestmark = pytest.mark.xdist_group("waits")

ROUNDS = 100 if IS_LONG else 25
BY_CHANCE = 17


@pytest.mark.parametrize("game_type", list(table_games()))
def test_rounds_of_each_game_for_play_money(committed: None, shared_server: Server, game_type: str) -> None:
    partner, players = players_make(2, balance=1_000_000)
    # If both say no_bet, the window lasts to its end.
    table = table_make(partner, game_type=game_type, currency="FUN", pause_s=0, window_s=10)
    tokens = [session_make(player)[1] for player in players]
    played = asyncio.run(play(shared_server, table, tokens, ROUNDS))
    for seat in played:
        assert not seat.refusals, seat.refusals[:3]
        assert seat.dealt_again >= ROUNDS
    assert TableRound.objects.filter(table=table, ending="settled").count() >= ROUNDS


async def play(server: Server, table: GameTable, tokens: list[str], rounds: int) -> list[OpenTable]:
    async with (
        table_client(server.url, tokens[0], chance=BY_CHANCE) as first,
        table_client(server.url, tokens[1], chance=BY_CHANCE + 1) as second,
    ):
        clients = (first, second)
        for number, client in enumerate(clients):
            rooms = (await client.lobby.call("GET", "/api/lobby"))["rooms"]
            room = next(room for room in rooms if room["id"] == str(table.pk))
            await client.join(room, clientSeed=f"{number:032x}")
        is_done = asyncio.Event()
        left = len(clients)

        async def plays(client: TableClient) -> OpenTable:
            nonlocal left
            seat = await client.play(str(table.pk), rounds)
            for result in seat.results[-3:]:
                record = await client.record_check(str(table.pk), result)
                assert {"place_bet", "ready"} <= {action["action"] for action in record["actions"]}
            left -= 1
            while left and not is_done.is_set():
                await client.step()
            is_done.set()
            assert not client.codes, client.codes
            return seat

        return list(await asyncio.gather(*map(plays, clients)))


def test_the_specification_of_a_game_that_is_not_hosted_is_not_found(committed: None, shared_server: Server) -> None:
    _, [player] = players_make(1)
    token = session_make(player)[1]

    async def ask() -> Refused:
        async with table_client(shared_server.url, token, chance=0) as client:
            with pytest.raises(Refused) as caught:
                await client.lobby.call("GET", "/api/games/roulette/spec")
            return caught.value

    refused = asyncio.run(ask())
    assert (refused.status, refused.code) == (404, "GAME_NOT_FOUND")
