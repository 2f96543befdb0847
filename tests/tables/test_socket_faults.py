"""Tables under faults: no Redis, no PostgreSQL, a dead process."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest

from apps.core.postgres_pool import pool
from apps.rounds.models import Round
from apps.tables.deadlines import deadlines_fire
from apps.tables.models import GameTable, TableRound
from apps.tables.session_sockets import sessions_sweep
from casino.local.data_dirs import data_dir_for, home_of
from casino.local.redis import Redis
from tests.support.long_form import IS_LONG
from tests.support.loop import run_alone
from tests.support.paused_process import process_pause
from tests.support.postgres_proxy import Proxy, proxy_run
from tests.support.server import Server, app_url, server_run
from tests.support.table_play import deadlines_set
from tests.support.tables import Seated, has_socket, players_make, seated, session_make, sit, table_make, until
from tests.support.waiting import and_close

pytestmark = pytest.mark.xdist_group("waits")

MAX_ACTIONS = 6_000 if IS_LONG else 60


@pytest.fixture
def no_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis that has been stopped."""
    checkout = tmp_path_factory.mktemp("redis-away")
    server = Redis(data_dir_for(checkout, "run"), durable=False)
    try:
        yield server.url
    finally:
        shutil.rmtree(home_of(checkout), ignore_errors=True)


def test_two_processes_serve_one_table_without_redis(committed: None, no_redis: str) -> None:
    partner, (anna, ben) = players_make(2)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60)
    (anna_session, anna_token), (ben_session, ben_token) = session_make(anna), session_make(ben)

    async def play(here: Server, there: Server) -> None:
        async with seated(here, anna_token) as first, seated(there, ben_token) as second:
            for client, session in ((first, anna_session), (second, ben_session)):
                await asyncio.to_thread(sit, session, table)
                await client.until("betting_window_open")
            assert (await first.act(table, "place_bet", betType="player", amount=10))["type"] == "ack"
            assert (await second.act(table, "place_bet", betType="tie", amount=5))["type"] == "ack"
            for client in (first, second):
                assert (await client.act(table, "ready"))["type"] == "ack"
            results = [(await client.until("round_result"))["payload"]["roundId"] for client in (first, second)]
            assert results[0] == results[1]
            heard = [
                [message["messageId"] for message in client.heard if message["type"] == "player_action_broadcast"]
                for client in (first, second)
            ]
            assert heard[0] == heard[1]
            # Without an announcement the other process compares, and finds that its socket has lost the session.
            async with seated(there, anna_token):
                assert await first.closed() == 4001

    limitless = {"REDIS_URL": no_redis, "PUNTO_RATE_LIMITS": "0"}
    with server_run(**limitless) as here, server_run(**limitless) as there:
        asyncio.run(play(here, there))
        assert "Traceback" not in here.log_text + there.log_text


def test_a_round_goes_on_elsewhere_when_its_process_is_killed(
    committed: None, shared_server: Server, other_server: Server
) -> None:
    partner, (anna, ben) = players_make(2)
    rules = {"speed": True, "insurance": "off"}  # all let one turn pass at the same time
    table = table_make(partner, currency="FUN", rules=rules, window_s=30, turn_s=5)
    (anna_session, anna_token), (ben_session, ben_token) = session_make(anna), session_make(ben)
    sit(anna_session, table)
    sit(ben_session, table)

    async def play() -> None:
        async with seated(other_server, ben_token) as second:
            async with seated(shared_server, anna_token) as first:
                await first.until("betting_window_open")
                assert (await first.act(table, "place_bet", amount=10))["type"] == "ack"
                assert (await second.act(table, "place_bet", amount=20))["type"] == "ack"
                last_seen = first.heard[-1]["messageId"]
                await asyncio.to_thread(and_close(lambda: deadlines_set(table, timedelta(seconds=1))))
                await asyncio.to_thread(shared_server.kill)
                assert await first.closed() == 1006
            async with seated(shared_server) as first:
                await first.reconnect(anna_token, str(anna_session.session_id), last_seen)
                # The round may be over before the killed process has started again.
                missed = (await first.until("reconnect_state"))["missedMessages"]
                results = [message for message in missed if message["type"] == "round_result"]
                results = results or [await first.until("round_result")]
                assert results[0]["payload"]["roundId"] == (await second.until("round_result"))["payload"]["roundId"]

    asyncio.run(play())
    assert min(Round.objects.values_list("stake", flat=True)) >= 10
    assert set(Round.objects.values_list("how_ended", flat=True)) == {"played"}


def test_an_overdue_deadline_is_fired_once_by_competing_processes(committed: None) -> None:
    """No process has a socket at the table: the scheduler's task and others fire it at the same time."""
    partner, (anna,) = players_make(1)
    table = table_make(partner, window_s=1, pause_s=30)
    sit(session_make(anna)[0], table)

    async def has_changed() -> bool:
        await asyncio.gather(*[deadlines_fire() for _ in range(8)])
        return bool(await pool().fetch("SELECT FROM game_table WHERE id = $1 AND version > 1", table.pk))

    run_alone(until(has_changed))
    table.refresh_from_db()
    assert table.version == 2
    assert [(row.number, row.ending) for row in TableRound.objects.filter(table=table)] == [(1, "unstaked")]


def test_the_sessions_of_a_process_that_is_gone_have_lost_their_sockets(
    committed: None, shared_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner, (anna,) = players_make(1)
    table = table_make(partner, window_s=30)
    session, token = session_make(anna)
    sit(session, table)

    async def play() -> None:
        async with seated(shared_server, token):
            await asyncio.to_thread(shared_server.kill)

    asyncio.run(play())
    session.refresh_from_db()
    assert session.dropped_at is None
    monkeypatch.setattr("apps.tables.session_sockets.DEAD_AFTER_S", 0)
    run_alone(sessions_sweep())
    session.refresh_from_db()
    assert (session.dropped_at is not None, session.socket, session.ended_at) == (True, "", None)
    state = GameTable.objects.get(pk=table.pk).state
    assert state["seats"][0]["drop_deadline"] is not None


def test_a_process_that_was_taken_for_dead_takes_its_sessions_back(
    committed: None, shared_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner, (anna,) = players_make(1)
    table = table_make(partner, window_s=30)
    session, token = session_make(anna)
    sit(session, table)
    monkeypatch.setattr("apps.tables.session_sockets.DEAD_AFTER_S", 0)

    async def play() -> None:
        async with seated(shared_server, token) as client:
            await client.until("betting_window_open")
            await asyncio.to_thread(and_close(partial(process_pause, shared_server)))
            try:
                await asyncio.to_thread(run_alone, sessions_sweep())
                assert not await has_socket(session)
            finally:
                os.kill(shared_server.pid, signal.SIGCONT)
            await until(lambda: has_socket(session))
            assert (await client.act(table, "place_bet", amount=10))["type"] == "ack"

    asyncio.run(play())


def test_tables_go_on_when_the_database_is_back(committed: None) -> None:
    partner, (anna,) = players_make(1)
    table = table_make(partner, currency="FUN", game_type="baccarat", window_s=60)
    session, token = session_make(anna)

    async def play(server: Server, proxy: Proxy) -> None:
        async with seated(server, token) as client:
            await asyncio.to_thread(sit, session, table)
            await client.until("betting_window_open")
            proxy.shut()
            assert (await client.act(table, "place_bet", betType="player", amount=10))["code"] == "INTERNAL_ERROR"
            proxy.open()
            await until(lambda: is_taken(client, "place_bet", betType="player", amount=10))
            await until(lambda: is_taken(client, "ready"))
            await client.until("round_result")

    async def is_taken(client: Seated, action: str, **payload: object) -> bool:
        return (await client.act(table, action, **payload))["type"] == "ack"

    with (
        proxy_run(app_url()) as proxy,
        server_run(DATABASE_URL=proxy.url, DATABASE_OWNER_URL=proxy.url, PUNTO_RATE_LIMITS="0") as server,
    ):
        asyncio.run(play(server, proxy))
    assert set(Round.objects.values_list("how_ended", flat=True)) == {"played"}
