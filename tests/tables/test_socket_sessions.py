"""Sessions at the tables' socket: one socket each, resumed by a reconnect, ended by time and silence."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import GameSession
from apps.tables.models import GameTable, TableSeat, TableSession
from apps.tables.services import table_leave
from apps.tables.sessions import table_session_open
from casino.settings.waits import WAIT_S
from tests.support.loop import run_alone
from tests.support.server import Server
from tests.support.tables import Seated, players_make, seated, session_make, sit, table_make, watch
from tests.support.waiting import and_close


def table_with_player(**wish: object) -> tuple[GameTable, TableSession, str]:
    partner, (player,) = players_make(1)
    table = table_make(partner, **wish)
    session, token = session_make(player)
    return table, session, token


def test_log_in_answers_with_the_session_its_balance_and_its_limits(committed: None, shared_server: Server) -> None:
    _, session, token = table_with_player()

    async def play() -> None:
        async with seated(shared_server) as client:
            hello = client.heard[0]
            assert "sequence" not in hello
            assert hello["supportedGames"] == ["baccarat", "blackjack", "dragon_tiger"]
            answer = await client.log_in(token)
            assert answer["balance"] == {"available": 1000, "locked": 0, "currency": "FUN"}
            assert answer["permissions"]["allowedGames"] == hello["supportedGames"]
            assert answer["sessionId"] == str(session.session_id)
            assert answer["playerId"] == str(session.player.at_tables.public_id)
            sent = await client.send("balance_query")
            told = await client.until("balance_response")
            assert (told["available"], told["locked"], told["total"]) == (1000, 0, 1000)
            await client.send("heartbeat", direction="ping")
            assert (await client.until("heartbeat"))["direction"] == "pong"
            await client.send("session_extend")
            assert (await client.until("session_extended"))["expiresAt"] > answer["expiresAt"]
            await client.send("balance_query", message_id=sent)
            assert (await client.answer_to(sent))["code"] == "DUPLICATE_MESSAGE"

    asyncio.run(play())


@pytest.mark.xdist_group("waits")
def test_a_second_log_in_closes_the_first_socket(committed: None, shared_server: Server, other_server: Server) -> None:
    _, _, token = table_with_player()

    async def play() -> None:
        for server in (shared_server, other_server):
            async with seated(shared_server, token) as first, seated(server, token) as second:
                assert await first.closed() == 4001
                await second.send("balance_query")
                await second.until("balance_response")

    asyncio.run(play())


def test_a_session_id_that_is_not_the_tokens_is_refused(committed: None, shared_server: Server) -> None:
    _, (anna, ben) = players_make(2)
    (session, _), (_, token) = session_make(anna), session_make(ben)

    async def play() -> None:
        async with seated(shared_server) as client:
            sent = await client.send("reconnect", token=token, sessionId=str(session.session_id))
            assert (await client.answer_to(sent))["code"] == "AUTH_INVALID"
            sent = await client.send("reconnect", token=token, sessionId="no id")
            assert (await client.answer_to(sent))["code"] == "AUTH_INVALID"

    asyncio.run(play())


def test_a_reconnect_gets_the_missed_events_and_the_open_window(
    committed: None, shared_server: Server, other_server: Server
) -> None:
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, window_s=30)
    (anna_session, anna_token), (ben_session, ben_token) = session_make(anna), session_make(ben)

    async def play() -> None:
        async with seated(shared_server, ben_token) as ben_client:
            async with seated(shared_server, anna_token) as client:
                await asyncio.to_thread(sit, anna_session, table)
                window = await client.until("betting_window_open")
                assert (await client.act(table, "place_bet", amount=10))["type"] == "ack"
                last_seen = (await client.until("player_action_broadcast"))["messageId"]
                sequence = client.heard[-1]["sequence"]
            await asyncio.to_thread(sit, ben_session, table)
            await ben_client.until("betting_window_open")
            assert (await ben_client.act(table, "place_bet", amount=10))["type"] == "ack"
            async with seated(other_server) as client:
                await client.reconnect(anna_token, str(anna_session.session_id), last_seen)
                told = await client.until("reconnect_state")
                assert told["sequence"] > sequence
                assert told["tableId"] == str(table.pk)
                assert told["currentState"]["phase"] == "betting"
                types = [message["type"] for message in told["missedMessages"]]
                assert "player_action_broadcast" in types
                assert last_seen not in [message["messageId"] for message in told["missedMessages"]]
                assert told["truncated"] is False
                # A window that was repeated for Ben alone is not sent to her.
                assert "betting_window_open" not in types
                again = await client.until("betting_window_open")
                assert again["repeats"] in {window["messageId"], window.get("repeats")}
                assert again["timeoutSeconds"] < window["timeoutSeconds"]
                assert (await client.act(table, "place_bet", amount=20))["type"] == "ack"

    asyncio.run(play())
    assert TableSeat.objects.filter(table=table).count() == 2


def test_a_socket_sees_several_tables_and_nothing_of_one_it_has_left(committed: None, shared_server: Server) -> None:
    partner, (anna, ben) = players_make(2)
    tables = [table_make(partner, game_type=game, window_s=30) for game in ("dragon_tiger", "baccarat", "blackjack")]
    (session, token), (ben_session, _) = session_make(anna), session_make(ben)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            await asyncio.to_thread(sit, session, tables[0])
            await asyncio.to_thread(sit, session, tables[1])
            await asyncio.to_thread(watch, session, tables[2])
            for table in tables:
                await client.until(
                    lambda heard, table=table: heard.get("tableId") == str(table.pk),
                    all_of_it=True,  # type: ignore[misc]
                )
            await asyncio.to_thread(sit, ben_session, tables[2])
            await client.until(
                lambda heard: heard["type"] == "betting_window_open" and heard["tableId"] == str(tables[2].pk)
            )
            assert (await client.act(tables[2], "place_bet", amount=10))["code"] == "NOT_YOUR_TURN"
            for table in tables[:2]:
                assert (await client.act(table, "place_bet", betType="tie", amount=10))["type"] == "ack"
            await asyncio.to_thread(leave, session, tables[2])
            assert await eventually(lambda: client.act(tables[2], "ready"), "TABLE_NOT_FOUND")
            heard = len(client.heard)
            for table in tables[:2]:
                assert (await client.act(table, "ready"))["type"] == "ack"
                await client.until("round_result")
            assert all(message.get("tableId") != str(tables[2].pk) for message in client.heard[heard:])

    asyncio.run(play())


def test_a_message_id_is_used_once_in_a_session_also_by_a_refused_message(
    committed: None, shared_server: Server
) -> None:
    table, session, token = table_with_player(window_s=30)

    async def play() -> None:
        used = str(uuid4())
        async with seated(shared_server, token) as client:
            await asyncio.to_thread(sit, session, table)
            await client.until("betting_window_open")
            assert (await client.act(table, "place_bet", amount=3, message_id=used))["code"] == "INVALID_AMOUNT"
            answer = await client.act(table, "place_bet", amount=10)
            assert answer["type"] == "ack"
        async with seated(shared_server) as client:
            await client.reconnect(token, str(session.session_id))
            await client.until("reconnect_state")
            for message_id in (used, answer["relatedMessageId"]):
                assert (await client.act(table, "place_bet", amount=20, message_id=message_id))["code"] == (
                    "DUPLICATE_MESSAGE"
                )

    asyncio.run(play())


@pytest.mark.xdist_group("waits")
def test_a_seat_without_a_socket_is_freed_and_its_session_is_over(committed: None, hasty_server: Server) -> None:
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, window_s=30)
    (session, token), (ben_session, ben_token) = session_make(anna), session_make(ben)

    async def play() -> None:
        async with seated(hasty_server, ben_token) as other:
            keep = asyncio.create_task(heartbeats(other))
            async with seated(hasty_server, token):
                await asyncio.to_thread(sit, session, table)
                await asyncio.to_thread(sit, ben_session, table)
                await other.until(lambda heard: heard["type"] == "game_state_update" and len(seats(heard)) == 2)
            await other.until(lambda heard: heard["type"] == "game_state_update" and len(seats(heard)) == 1)
            async with seated(hasty_server) as client:
                sent = await client.send("reconnect", token=token, sessionId=str(session.session_id))
                assert (await client.answer_to(sent))["code"] == "AUTH_EXPIRED"
            keep.cancel()

    asyncio.run(play())
    assert list(TableSeat.objects.values_list("player_id", flat=True)) == [ben.pk]


def test_a_session_is_warned_five_minutes_before_its_end(committed: None, shared_server: Server) -> None:
    _, session, token = table_with_player()
    end = timezone.now() + timedelta(minutes=5, seconds=3)
    TableSession.objects.filter(pk=session.pk).update(expires_at=end)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            warning = await client.until("session_expiring")
            assert warning["reason"] == "lifetime"
            assert 290_000 < warning["expiresAt"] - warning["timestamp"] <= 301_000

    asyncio.run(play())


@pytest.mark.xdist_group("waits")
def test_a_silent_session_is_warned_and_ends(committed: None, hasty_server: Server) -> None:
    _, (player,) = players_make(1)
    session, token = session_make(player)

    async def play() -> None:
        async with seated(hasty_server, token) as client:
            warning = await client.until(lambda heard: heard.get("reason") == "inactivity")
            assert warning["type"] == "session_expiring"
            assert (await client.until("error"))["code"] == "AUTH_EXPIRED"
            assert await client.closed() == 1008

    asyncio.run(play())
    session.refresh_from_db()
    assert session.ended_at is not None
    assert session.ended_at <= timezone.now()


def test_a_session_that_is_extended_outlives_its_time_and_one_that_is_not_ends_with_its_seat(
    committed: None, hasty_server: Server
) -> None:
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, currency="FUN", window_s=30)
    (session, token), (ben_session, ben_token) = session_make(anna), session_make(ben)
    sit(session, table)
    sit(ben_session, table)
    soon = timezone.now() + timedelta(seconds=4)
    TableSession.objects.update(expires_at=soon)

    async def play() -> None:
        async with seated(hasty_server, token) as client, seated(hasty_server, ben_token) as other:
            for each in (client, other):
                warning = await each.until(lambda heard: heard.get("reason") == "lifetime")
                assert warning["expiresAt"] - soon.timestamp() * 1000 < 1000
            await client.send("session_extend")
            extended = await client.until("session_extended")
            assert extended["expiresAt"] > soon.timestamp() * 1000 + 30_000
            keep = asyncio.create_task(heartbeats(client))
            assert (await other.until("error"))["code"] == "AUTH_EXPIRED"
            assert await other.closed() == 1008
            await client.until(lambda heard: heard["type"] == "game_state_update" and len(seats(heard)) == 1)
            assert (await client.act(table, "place_bet", amount=10))["type"] == "ack"
            keep.cancel()
        async with seated(hasty_server) as late:
            sent = await late.send("authenticate", token=ben_token)
            assert (await late.answer_to(sent))["code"] == "AUTH_EXPIRED"

    asyncio.run(play())
    assert list(TableSeat.objects.values_list("player_id", flat=True)) == [anna.pk]


def test_a_session_of_a_revoked_game_session_ends(committed: None, shared_server: Server) -> None:
    _, (player,) = players_make(1)
    origin, _ = game_session_open(player=player, game="og-blackjack", currency_code="FUN")
    _, token = table_session_open(player=player, currency_code="FUN", game_session=origin)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            revoke = partial(GameSession.objects.filter(pk=origin.pk).update, ended_at=timezone.now())
            await asyncio.to_thread(and_close(revoke))
            assert (await client.until("error"))["code"] == "AUTH_EXPIRED"
            assert await client.closed() == 1008

    asyncio.run(play())


async def heartbeats(client: Seated) -> None:
    """Send heartbeats, so that the session is not ended for silence."""
    while True:
        await client.send("heartbeat", direction="pong")
        await asyncio.sleep(1)


def seats(message: dict) -> list[dict]:
    return message["payload"]["seats"]


def leave(session: TableSession, table: GameTable) -> None:
    run_alone(table_leave(session_id=session.pk, table_id=str(table.pk)))


async def eventually(ask: Callable[[], Awaitable[dict[str, Any]]], code: str) -> bool:
    """Ask again after each answer, until the answer has that code."""
    async with asyncio.timeout(WAIT_S):
        while (await ask()).get("code") != code:
            pass
    return True
