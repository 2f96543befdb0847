"""Tables under play while PostgreSQL is restarted, Redis is killed, and a process is paused. With `make soak` there are
more tables and a longer pause, and the tests print how late deadlines were. `make test` leaves out the restart and the
kill, which it sees in `test_socket_faults.py` and in the attack.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.tables.models import TableRound
from tests.support.frame_search import FrameSearch
from tests.support.long_form import IS_LONG
from tests.support.own_servers import app_url_of, postgres_run, redis_run
from tests.support.paused_process import process_pause
from tests.support.scripted_players import ScriptedPlayer, money_check, play_during, results_await, scripted_make
from tests.support.server import Server, server_run
from tests.support.table_deadlines import deadlines_of
from tests.support.waiting import and_close

pytestmark = pytest.mark.xdist_group("waits")

PAUSED_S = 10 if IS_LONG else 1
PACE: dict[str, Any] = {"window_s": 1, "turn_s": 5, "pause_s": 0}
TABLES: tuple[dict[str, Any], ...] = (
    {"game_type": "baccarat", "currency": "EUR"} | PACE,
    {"game_type": "blackjack", "currency": "FUN"} | PACE,
    {"game_type": "blackjack", "rules": {"speed": True}} | PACE,
)[: 3 if IS_LONG else 1]
FAILURES = ("deadline_failed", "tables_message_failed", "tables_socket_failed")


@pytest.mark.soak
def test_tables_go_on_through_a_restart_of_postgresql_and_without_redis(
    committed: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        postgres = stack.enter_context(postgres_run(tmp_path / "postgres"))
        redis = stack.enter_context(redis_run(tmp_path / "redis"))
        url = app_url_of(postgres)
        addresses = {"DATABASE_URL": url, "DATABASE_OWNER_URL": url, "REDIS_URL": redis.url}
        servers = [stack.enter_context(server_run(PUNTO_RATE_LIMITS="0", **addresses)) for _ in range(2)]
        scripted = scripted_make(TABLES, 4 if IS_LONG else 2, servers)

        async def outages() -> None:
            await results_await(scripted, 1)
            await asyncio.to_thread(postgres.stop)
            await asyncio.to_thread(postgres.start)
            await results_await(scripted, 2)
            assert redis.child is not None
            redis.child.kill()
            await asyncio.to_thread(redis.stop)
            await results_await(scripted, 2)
            await asyncio.to_thread(redis.start)

        connections.close_all()
        asyncio.run(play_during(scripted, outages))
        records_check(scripted, capsys)
        lines = [line for server in servers for line in server.log_text.splitlines()]
        assert [line for line in lines if any(event in line for event in FAILURES)] == []


def test_a_paused_process_delays_no_other_and_keeps_its_sockets(
    committed: None, shared_server: Server, other_server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted = scripted_make(TABLES, 2, [shared_server])
    lively = scripted[1::2]
    for one in lively:
        one.servers = [other_server]

    async def pause() -> None:
        await results_await(scripted, 1)
        await asyncio.to_thread(and_close(partial(process_pause, shared_server)))
        try:
            await asyncio.gather(results_await(lively, 3), asyncio.sleep(PAUSED_S))
        finally:
            os.kill(shared_server.pid, signal.SIGCONT)

    asyncio.run(play_during(scripted, pause))
    assert {one.reconnections for one in scripted} == {1}
    records_check(scripted, capsys)


def records_check(scripted: Sequence[ScriptedPlayer], capsys: pytest.CaptureFixture[str]) -> None:
    """Expect that no round was lost, every deadline was fired once, and no frame holds a secret.

    With `make soak` also print how late deadlines were.
    """
    money_check(scripted)
    assert set(Round.objects.values_list("how_ended", flat=True)) <= {"played", "withdrawn"}
    assert not TableRound.objects.filter(ending="voided").exists()
    assert [(finding.where, finding.what) for finding in proof_run().findings] == []
    deadlines = deadlines_of(scripted)
    assert deadlines.faults == []
    assert FrameSearch.of_database().findings(scripted) == []
    if IS_LONG:
        with capsys.disabled():
            print(f"\n{deadlines.line()}")
