"""Forbidden messages of a client get the documented refusal and change nothing."""

import asyncio
import json
from datetime import timedelta
from uuid import uuid4

import pytest

from apps.rounds.models import Round
from apps.tables.models import GameTable, TableRound
from apps.wallet.models import WalletTransaction
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import Seated, players_make, seated, session_make, sit, table_make, watch
from tests.support.waiting import and_close


def test_invalid_frames_are_refused_and_three_in_a_row_close_the_connection(
    committed: None, shared_server: Server
) -> None:
    _, (player,) = players_make(1)
    _, token = session_make(player)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            for frame in ("no json", "[1]", "{", '{"type": 1}', '{"type": "heartbeat"}'):
                await client.link.send(frame)
                assert (await client.until("error"))["code"] == "INVALID_MESSAGE"
                await client.send("balance_query")
                await client.until("balance_response")
            for _ in range(3):
                await client.link.send("no json")
            assert await client.closed() == 1008

    asyncio.run(play())


def test_the_protocol_has_one_version_and_only_hosted_games(committed: None, shared_server: Server) -> None:
    partner, (player,) = players_make(1)
    table, foreign = table_make(partner), table_make(players_make(1)[0])
    session, token = session_make(player)
    sit(session, table)

    async def submit(client: Seated, **members: object) -> str:
        members = {"gameType": "blackjack", "tableId": str(table.pk), "payload": {"action": "ready"}} | members
        return (await client.answer_to(await client.send("submit_action", **members)))["code"]

    async def play() -> None:
        async with seated(shared_server) as client:
            sent = await client.send("authenticate", token=token, protocolVersion="2.0")
            assert (await client.answer_to(sent))["code"] == "VERSION_UNSUPPORTED"
            await client.log_in(token)
            assert await submit(client, protocolVersion="0.9") == "VERSION_UNSUPPORTED"
            assert await submit(client, gameType="poker") == "GAME_NOT_FOUND"
            assert await submit(client, gameType="baccarat") == "TABLE_NOT_FOUND"
            assert await submit(client, tableId=str(foreign.pk)) == "TABLE_NOT_FOUND"
            assert await submit(client, tableId="x") == "TABLE_NOT_FOUND"
            for kind in ("error", "game_error", "unheard_of"):
                await client.send(kind)
            await client.send("balance_query")
            await client.until("balance_response")

    asyncio.run(play())


def test_an_action_is_refused_out_of_turn_and_leaves_the_table_as_it_is(committed: None, shared_server: Server) -> None:
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, currency="FUN", window_s=30)
    (session, token), (watcher, watcher_token) = session_make(anna), session_make(ben)
    sit(session, table)
    watch(watcher, table)

    async def play() -> None:
        async with seated(shared_server, token) as client, seated(shared_server, watcher_token) as looker:
            await client.until("betting_window_open")
            assert (await client.act(table, "hit"))["code"] == "NOT_YOUR_TURN"
            assert (await client.act(table, "dance"))["code"] == "INVALID_ACTION"
            assert (await client.act(table, "place_bet", amount="10"))["code"] == "INVALID_MESSAGE"
            assert (await client.act(table, "place_bet", amount=-1))["code"] in {"INVALID_AMOUNT", "INVALID_MESSAGE"}
            assert (await client.act(table, "place_bet", amount=10**15))["code"] == "INVALID_AMOUNT"
            assert (await looker.act(table, "place_bet", amount=10))["code"] == "NOT_YOUR_TURN"

    before = GameTable.objects.get(pk=table.pk).version
    asyncio.run(play())
    assert not WalletTransaction.objects.filter(kind="bet").exists()
    assert not Round.objects.exists()
    # Sockets have opened and closed. Nothing else has changed the table.
    assert GameTable.objects.get(pk=table.pk).version <= before + 2


def test_more_than_the_wallet_holds_is_refused(committed: None, shared_server: Server) -> None:
    partner, (player,) = players_make(1, balance=15)
    table = table_make(partner, currency="FUN", window_s=30)
    session, token = session_make(player)
    sit(session, table)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            await client.until("betting_window_open")
            refusal = await client.act(table, "place_bet", amount=16)
            assert refusal["code"] in {"INSUFFICIENT_BALANCE", "INVALID_AMOUNT"}
            assert (await client.act(table, "place_bet", amount=15))["type"] == "ack"

    asyncio.run(play())
    assert Round.objects.get().stake == 15


@pytest.mark.xdist_group("waits")
def test_a_flood_is_refused_once_a_second_and_its_messages_are_used(committed: None, hasty_server: Server) -> None:
    _, (player,) = players_make(1)
    _, token = session_make(player)
    ids = [str(uuid4()) for _ in range(80)]

    async def play() -> None:
        async with seated(hasty_server, token) as client:
            for message_id in ids:
                await client.send("heartbeat", message_id=message_id, direction="pong")
            limited = await client.until(lambda heard: heard.get("code") == "RATE_LIMITED")
            used = limited["relatedMessageId"]
            assert used in ids
            # In the next second frames are answered again, and the id is used up.
            while not client.all("balance_response"):
                await client.send("balance_query")
                await asyncio.sleep(0.1)
            await client.send("heartbeat", message_id=used, direction="ping")
            await client.until(lambda heard: heard.get("code") == "DUPLICATE_MESSAGE")
            assert len([heard for heard in client.all("error") if heard["code"] == "RATE_LIMITED"]) <= 3

    asyncio.run(play())


def test_the_deadline_and_the_clients_own_default_action_are_one_action(
    committed: None, shared_server: Server, other_server: Server
) -> None:
    """Both players bet while the window closes: no stake is booked twice, and every answer is a documented one."""
    partner, players = players_make(2)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30, pause_s=30)
    sessions = [session_make(player) for player in players]

    have_bet: set[Seated] = set()

    async def bet_until_closed(client: Seated) -> int:
        taken = 0
        while True:
            answer = await client.act(table, "place_bet", betType="tie", amount=1)
            if answer["type"] != "ack":
                assert answer["code"] in {"BETTING_WINDOW_CLOSED", "ROUND_COMPLETE"}, answer
                return taken
            taken += 1
            have_bet.add(client)
            if taken == 1 and len(have_bet) == 2:
                await asyncio.to_thread(and_close(lambda: deadlines_set(table, timedelta(seconds=1))))

    async def play() -> list[int]:
        tokens = [token for _, token in sessions]
        async with seated(shared_server, tokens[0]) as first, seated(other_server, tokens[1]) as second:
            for session, _ in sessions:
                await asyncio.to_thread(sit, session, table)
            for client in (first, second):
                await client.until("betting_window_open")
            return await asyncio.gather(bet_until_closed(first), bet_until_closed(second))

    taken = asyncio.run(play())
    assert min(taken) > 0
    assert [Round.objects.get(player=player).stake for player in players] == taken
    assert TableRound.objects.get(table=table).ending == "settled"


def test_no_frame_of_a_round_holds_a_secret(committed: None, shared_server: Server) -> None:
    partner, players = players_make(3)
    table = table_make(partner, currency="FUN", window_s=30, turn_s=60, pause_s=2)
    sessions = [session_make(player) for player in players]
    for session, _ in sessions[:2]:
        sit(session, table)
    watch(sessions[2][0], table)

    async def play() -> list[str]:
        tokens = [token for _, token in sessions]
        async with (
            seated(shared_server, tokens[0]) as first,
            seated(shared_server, tokens[1]) as second,
            seated(shared_server, tokens[2]) as looker,
        ):
            await asyncio.gather(*[client.until("betting_window_open") for client in (first, second)])
            for client in (first, second):
                assert (await client.act(table, "place_bet", amount=10))["type"] == "ack"
                assert (await client.act(table, "ready"))["type"] == "ack"

            async def play_out(client: Seated) -> None:
                while (await client.until(turn_or_end))["type"] != "round_result":
                    assert (await client.act(table, "stand"))["type"] == "ack"

            await asyncio.gather(play_out(first), play_out(second))
            await looker.until("seed_reveal")
            assert not looker.all("game_action_request")
            return [*first.frames, *second.frames, *looker.frames]

    frames = asyncio.run(play())
    played = TableRound.objects.get(number=1)
    told = {json.loads(frame)["type"] for frame in frames if played.seed in frame}
    assert told == {"round_result", "seed_reveal"}
    secrets = [token for _, token in sessions] + [str(player.reference) for player in players]
    assert not [frame for frame in frames for secret in secrets if secret in frame]


def turn_or_end(heard: dict) -> bool:
    return heard["type"] in {"game_action_request", "round_result"}
