"""Each part of the benchmark runs for a moment. The tests check that it measures, and do not check the figures."""

import json
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.conf import LazySettings
from pytest_django import DjangoDbBlocker

from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.engine import Deal, Winner
from apps.rounds.models import Round
from casino.bench.bets import functions_count
from casino.bench.clients import bearers, load_run
from casino.bench.engines import engines_measure
from casino.bench.flooder import KINDS
from casino.bench.report import Table
from casino.settings.waits import WAIT_S
from tests.blackjack_socket.conftest import offered_player
from tests.support.baccarat import seat_make, seeds_choose
from tests.support.blackjack import session_token
from tests.support.server import Server, server_run


def test_engines_are_measured_and_missing_peers_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PUNTO_BENCH_PEERS", raising=False)
    monkeypatch.delenv("PUNTO_BENCH_NODE", raising=False)
    rows = {name: figure for name, figure, _ in engines_measure(repetitions=1, seconds=0.05).rows}
    names = ("baccarat, one bet", "blackjack, basic strategy", "blackjack, the dealer card by card")
    ours = [rows.pop(name) for name in names]
    assert all(int(figure.replace(",", "")) > 0 for figure in ours)
    assert set(rows.values()) == {"not measured"}


def test_bets_over_http_are_counted(committed: None, shared_server: Server) -> None:
    seat = seat_make("1000")
    figures = load_run(
        "http", port=shared_server.port, method="POST", path="/api/game/baccarat/bet",
        body='{"game_type": 1, "bet_amount": 1}', credentials=bearers([seat.token]), connections=1, seconds=0.5,
    )  # fmt: skip
    assert figures["count"] == Round.objects.filter(player=seat.player, game=BACCARAT).count() > 0
    assert 0 < figures["p50_ms"] <= figures["p99_ms"]


def test_a_refused_bet_stops_the_benchmark(committed: None, shared_server: Server) -> None:
    seat = seat_make("0")
    with pytest.raises(SystemExit, match="INSUFFICIENT_FUNDS"):
        load_run(
            "http", port=shared_server.port, method="POST", path="/api/game/baccarat/bet",
            body='{"game_type": 1, "bet_amount": 1}', credentials=bearers([seat.token]), connections=1, seconds=0.2,
        )  # fmt: skip


def test_a_bet_passes_through_sixty_functions_of_ours_at_most(committed: None, settings: LazySettings) -> None:
    """A win without a natural makes the most calls: those for the banker's third card and for the payout."""
    settings.PUNTO_BETS_PER_S = settings.PUNTO_BAD_TOKENS_PER_S = None  # as the benchmark counts
    seat = seat_make("1000")
    seeds_choose(seat.player, lambda deal: deal.winner is Winner.PLAYER and is_without_natural(deal), rounds=4)
    assert 30 < functions_count(seat.token) <= 60


def is_without_natural(deal: Deal) -> bool:
    return len(deal.player) + len(deal.banker) > 4 or max(deal.player_score, deal.banker_score) < 8


def test_actions_over_the_socket_are_counted(committed: None, shared_server: Server) -> None:
    players = [offered_player(balance=Decimal(1000)) for _ in range(3)]
    figures = load_run(
        "actions", port=shared_server.port, tokens=[session_token(player) for player in players], seconds=0.5, run="t"
    )
    assert figures["count"] == sum(
        game_round.actions.count() for game_round in Round.objects.filter(player__in=players)
    )
    assert figures["count"] > 0


def test_reads_over_the_socket_are_counted(committed: None, shared_server: Server) -> None:
    players = [offered_player() for _ in range(2)]
    tokens = [session_token(player) for player in players]
    figures = load_run("balances", port=shared_server.port, tokens=tokens, seconds=0.5, every_s=0.05)
    assert figures["count"] > 0
    assert 0 < figures["p50_ms"] <= figures["p99_ms"]


@pytest.fixture(scope="module")
def limited_server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Server]:
    """A server with limits. A test that uses them up has a source address of its own."""
    with django_db_blocker.unblock(), server_run() as server:
        yield server


@pytest.mark.xdist_group("bench-floods")
@pytest.mark.parametrize(("number", "kind"), [*enumerate(KINDS, start=2)], ids=[*KINDS])
def test_a_flooder_sends_requests_and_ends_by_itself(
    committed: None, limited_server: Server, number: int, kind: str
) -> None:
    token = session_token(offered_player())
    work = {"port": limited_server.port, "token": token, "source": f"127.0.0.{number}", "seconds": 0.5}
    done = subprocess.run(
        [sys.executable, "-m", "casino.bench.flooder", kind],
        input=json.dumps(work) + "\n", stdout=subprocess.PIPE, text=True, check=True, timeout=WAIT_S,
    )  # fmt: skip
    assert json.loads(done.stdout)["opened"] >= 1


def test_tables_are_plain_text() -> None:
    table = Table("Heading")
    table.row("one", "1 /s", "goal 2")
    table.row("the other", "10 /s")
    assert str(table) == "\nHeading\n  one         1 /s  goal 2\n  the other  10 /s"
