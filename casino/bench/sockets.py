"""The socket: echo and actions in turns, their CPU, memory of idle connections, latency with many players."""

from dataclasses import dataclass
from statistics import median
from typing import Any, Final
from uuid import uuid4

import psycopg

from casino.bench.bench_environment import ECHO_PORT, SOCKET_PORT, BenchEnvironment, cpu_s, memory_bytes
from casino.bench.bench_players import BenchPlayers
from casino.bench.bets import transaction_cpu_us
from casino.bench.clients import idle_held, load_run
from casino.bench.report import Table

CONNECTIONS: Final = (1, 50, 500)
CROWD: Final = 500
ROUND_PLAYERS: Final = 16
IDLE: Final = 2000


@dataclass(frozen=True, slots=True)
class SocketRepetition:
    """One repetition, with 50 connections: CPU microseconds a message."""

    echo_us: float
    echo_per_s: float
    server_us: float
    postgres_us: float
    transaction_us: float
    """PostgreSQL's CPU for the same statements by pgbench."""

    @property
    def ratio(self) -> float:
        return (self.server_us + self.postgres_us) / (self.transaction_us + self.echo_us)


def sockets_measure(bench: BenchEnvironment, players: BenchPlayers, *, repetitions: int, seconds: float) -> list[Table]:
    """Measure all of the socket's figures and return their tables."""
    _actions(players, 50, min(3, seconds))
    with psycopg.connect(bench.superuser_url, autocommit=True) as link:
        link.execute("ANALYZE")
    turns = [_repetition(bench, players, seconds) for _ in range(repetitions)]
    rates = {count: _actions(players, count, seconds)["per_s"] for count in CONNECTIONS}
    crowd = _actions(players, CROWD, max(10, 2 * seconds), every_s=1)
    kilobytes = _idle_kilobytes(bench, players)
    table = Table("The socket (medians)")
    table.row("(a) raw echo, 50 connections", f"{median(turn.echo_per_s for turn in turns):,.0f} /s")
    for count, rate in rates.items():
        table.row(f"(b) actions, {count} connections", f"{rate:,.0f} /s")
    table.row("(c) CPU an action: server", f"{median(turn.server_us for turn in turns):,.0f} us")
    table.row("(c) CPU an action: PostgreSQL", f"{median(turn.postgres_us for turn in turns):,.0f} us")
    table.row("    CPU of an echo", f"{median(turn.echo_us for turn in turns):,.0f} us")
    table.row(
        "    CPU of a durable transaction with the same writes", f"{median(t.transaction_us for t in turns):,.0f} us"
    )
    table.row("    action / (transaction + echo)", f"{median(turn.ratio for turn in turns):.2f}", "goal 1.6")
    table.row(f"(d) memory a connection, {IDLE} idle", f"{kilobytes:.1f} KB", "goal 60")
    table.row(f"(e) {CROWD} players, an action a second: 99th percentile", f"{crowd['p99_ms']:.0f} ms", "goal 150")
    return [table, _rounds_table(bench, players, repetitions, seconds)]


def _rounds_table(bench: BenchEnvironment, players: BenchPlayers, repetitions: int, seconds: float) -> Table:
    """Return the cost of a round at both paces of the dealer, with many players and with one, in turns."""
    turns: dict[tuple[int, str], list[tuple[float, float]]] = {
        (count, pace): [] for count in (1, ROUND_PLAYERS) for pace in ("card", "round")
    }
    for _ in range(repetitions):
        for (count, pace), figures in turns.items():
            before = cpu_s(bench.sockets_pid) + cpu_s(bench.postgres_pid)
            played = _actions(players, count, seconds, pace=pace)
            used_s = cpu_s(bench.sockets_pid) + cpu_s(bench.postgres_pid) - before
            figures.append((played["rounds_per_s"], 1e6 * used_s / played["rounds"]))
    table = Table("Rounds of blackjack (medians)")
    for (count, pace), figures in turns.items():
        rate, used_us = (median(column) for column in zip(*figures, strict=True))
        table.row(
            f"players: {count}, dealerPace {pace}",
            f"{rate:,.0f} /s",
            f"{used_us:,.0f} us of server and PostgreSQL a round",
        )
    return table


def _repetition(bench: BenchEnvironment, players: BenchPlayers, seconds: float) -> SocketRepetition:
    before = cpu_s(bench.echo_pid)
    echo = load_run("echo", port=ECHO_PORT, connections=50, seconds=seconds)
    echo_us = 1e6 * (cpu_s(bench.echo_pid) - before) / echo["count"]
    server, postgres = cpu_s(bench.sockets_pid), cpu_s(bench.postgres_pid)
    actions = _actions(players, 50, seconds)
    server, postgres = cpu_s(bench.sockets_pid) - server, cpu_s(bench.postgres_pid) - postgres
    return SocketRepetition(
        echo_us=echo_us,
        echo_per_s=echo["per_s"],
        server_us=1e6 * server / actions["count"],
        postgres_us=1e6 * postgres / actions["count"],
        transaction_us=transaction_cpu_us(bench, seconds),
    )


def _actions(players: BenchPlayers, connections: int, seconds: float, **more: Any) -> dict[str, Any]:
    tokens = players.blackjack[:connections]
    return load_run("actions", port=SOCKET_PORT, tokens=tokens, seconds=seconds, run=uuid4().hex[:12], **more)


def _idle_kilobytes(bench: BenchEnvironment, players: BenchPlayers) -> float:
    before = memory_bytes(bench.sockets_pid)
    with idle_held(port=SOCKET_PORT, tokens=players.blackjack[:IDLE]):
        grown = memory_bytes(bench.sockets_pid) - before
    return grown / IDLE / 1024
