"""Rounds at tables over real sockets."""

import asyncio
from decimal import Decimal

import pytest

from apps.rounds.models import Round
from apps.tables.models import GameTable, TableAction, TableRound
from apps.wallet.models import Wallet, WalletTransaction
from tests.support.server import Server
from tests.support.tables import Message, Seated, players_make, seated, session_make, sit, table_make, watch


async def play_out(client: Seated, table: GameTable) -> None:
    """Answer every request by standing, until the round's result."""
    while True:
        message = await client.until(lambda heard: heard["type"] in {"game_action_request", "round_result"})
        if message["type"] == "round_result":
            return
        assert (await client.act(table, "stand"))["type"] == "ack"


def test_two_players_play_a_round_of_blackjack_for_points(committed: None, shared_server: Server) -> None:
    logged = len(shared_server.log_text)  # other tests bring about errors of their own
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, rules={}, window_s=30, turn_s=60)
    sessions = [session_make(anna), session_make(ben)]

    async def play() -> None:
        async with seated(shared_server, sessions[0][1]) as first, seated(shared_server, sessions[1][1]) as second:
            for session, _ in sessions:
                await asyncio.to_thread(sit, session, table)
            for client in (first, second):
                await client.until("game_state_update")
                assert (await client.act(table, "place_bet", amount=10))["type"] == "ack"
                assert (await client.act(table, "ready"))["type"] == "ack"
            await asyncio.gather(*[play_out(client, table) for client in (first, second)])
            for client in (first, second):
                result = client.all("round_result")[0]["payload"]
                assert len(result["results"]) == 2
                reveal = await client.until("seed_reveal")
                assert reveal["seed"] == result["fairnessProof"]["serverSeed"]
                numbers = [message["sequence"] for message in client.heard if "sequence" in message]
                assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    asyncio.run(play())
    played = TableRound.objects.filter(table=table).order_by("number").first()
    assert played is not None
    assert (played.ending, bool(played.seed)) == ("settled", True)
    assert TableAction.objects.filter(round=played).count() >= 4
    assert not Round.objects.exists()
    assert "Traceback" not in shared_server.log_text[logged:]


def test_at_a_points_table_a_window_is_told_once_to_each_seat_and_watcher(
    committed: None, shared_server: Server
) -> None:
    """The highest stake depends on the seat's score, so each seat gets its own message and watchers another."""
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, game_type="baccarat", window_s=30)
    (session, token), (onlooker, onlooker_token) = session_make(anna), session_make(ben)

    async def play() -> list[int]:
        async with seated(shared_server, token) as player, seated(shared_server, onlooker_token) as watcher:
            await asyncio.to_thread(watch, onlooker, table)
            await asyncio.to_thread(sit, session, table)
            await player.until("betting_window_open")
            assert (await player.act(table, "ready"))["type"] == "ack"
            told = []
            for client in (player, watcher):
                await client.until(is_second_window)
            assert (await player.act(table, "ready"))["type"] == "ack"
            for client in (player, watcher):
                await client.until("betting_window_closed")
                told.append(sum(is_second_window(heard) for heard in client.heard))
            return told

    assert asyncio.run(play()) == [1, 1]


def is_second_window(message: Message) -> bool:
    return message["type"] == "betting_window_open" and message["payload"]["roundNumber"] == 2


def test_two_players_play_a_deal_of_baccarat_for_play_money(committed: None, shared_server: Server) -> None:
    logged = len(shared_server.log_text)  # other tests bring about errors of their own
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    sessions = [session_make(anna), session_make(ben)]

    async def play() -> list[dict]:
        async with seated(shared_server, sessions[0][1]) as first, seated(shared_server, sessions[1][1]) as second:
            for session, _ in sessions:
                await asyncio.to_thread(sit, session, table)
            await second.until("betting_window_open")
            assert (await first.act(table, "place_bet", betType="player", amount=10))["type"] == "ack"
            assert (await second.act(table, "place_bet", betType="banker", amount=20))["type"] == "ack"
            assert (await second.act(table, "clear_bets"))["type"] == "ack"
            assert (await second.act(table, "place_bet", betType="tie", amount=5))["type"] == "ack"
            for client in (first, second):
                assert (await client.act(table, "ready"))["type"] == "ack"
            result = await first.until("round_result")
            return result["payload"]["results"]

    results = asyncio.run(play())
    assert [(row["seat"], row["stakes"]) for row in results] == [(1, 10), (2, 5)]
    for player, row in zip((anna, ben), results, strict=True):
        balance = Wallet.objects.get(player=player).balance
        assert balance == 1000 + row["net"]
        played = Round.objects.get(player=player)
        assert (played.how_ended, played.stake, played.payout) == ("played", row["stakes"], row["payout"])
        assert (played.balance_before, played.balance_after) == (Decimal(1000), balance)
    assert WalletTransaction.objects.filter(wallet__player=ben, kind="refund").count() == 1
    assert "Traceback" not in shared_server.log_text[logged:]


@pytest.mark.parametrize("token", ["unknown"])
def test_an_unknown_token_is_refused_and_the_socket_stays_open(
    committed: None, shared_server: Server, token: str
) -> None:
    async def play() -> None:
        async with seated(shared_server) as client:
            sent = await client.send("authenticate", token=token)
            assert (await client.answer_to(sent))["code"] == "AUTH_INVALID"
            sent = await client.send("balance_query")
            assert (await client.answer_to(sent))["code"] == "AUTH_REQUIRED"

    asyncio.run(play())
