"""Tables: the cost of a delivery and of a round of seven, the tables a process hosts, the lateness of deadlines."""

from collections.abc import Iterator
from statistics import median
from typing import Any, Final
from uuid import uuid4

from casino.bench.bench_environment import SOCKET_PORT, BenchEnvironment, cpu_s
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import load_run
from casino.bench.report import Table
from casino.bench.table_deadlines import deadlines_measure
from casino.bench.table_rooms import sessions_make, table_address, table_make, tables_stop

MODULE: Final = "casino.bench.table_load"
WATCHERS: Final = (0, 50, 500)
TABLES: Final = (1, 25, 100, 200)
SEATS: Final = 5
ROUND_SEATS: Final = 7


def tables_measure(bench: BenchEnvironment, players: BenchPlayers, *, seconds: float) -> Iterator[Table]:
    """Measure all figures of tables and yield their tables."""
    fan_out, delivery_us = _fan_out(bench, seconds)
    yield fan_out
    yield _rounds(bench, players, seconds, delivery_us)
    yield _crowds(bench, seconds)
    yield deadlines_measure(bench)


def _fan_out(bench: BenchEnvironment, seconds: float) -> tuple[Table, float]:
    table = Table("One action told to watchers")
    used: dict[int, tuple[float, int]] = {}
    actions = max(10, int(seconds * 4))
    for watchers in WATCHERS:
        made = table_make("baccarat", currency="FUN", window_s=60)
        tokens = sessions_make([made], seated=1, watching=watchers)
        figures = _run(
            "fan_out",
            pids=[bench.sockets_pid],
            tokens=tokens,
            table=table_address(made),
            actions=actions,
            every_s=0.1,
            seconds=seconds,
        )
        tables_stop([made])
        used[watchers] = (figures["used_s"], figures["deliveries"])
        if watchers:
            table.row(f"{watchers} watchers: 99th percentile", f"{figures['p99_ms']:.1f} ms")
    alone_s = used[0][0]
    delivery_us = 0.0
    for watchers in WATCHERS[1:]:
        spent_s, deliveries = used[watchers]
        delivery_us = 1e6 * (spent_s - alone_s) / deliveries
        table.row(f"{watchers} watchers: CPU a delivery", f"{delivery_us:.0f} us", "goal 60")
    return table, delivery_us


def _crowds(bench: BenchEnvironment, seconds: float) -> Table:
    table = Table(f"Tables of {SEATS} seats in one process, one action a second each")
    action_us: dict[int, float] = {}
    for count in TABLES:
        made = [table_make("baccarat", currency="FUN", window_s=60) for _ in range(count)]
        tokens = sessions_make(made, seated=SEATS)
        figures = _run(
            "crowd",
            pids=[bench.sockets_pid, bench.postgres_pid],
            tokens=tokens,
            tables=[table_address(one) for one in made],
            seats=SEATS,
            seconds=max(10.0, 2 * seconds),
        )
        action_us[count] = 1e6 * figures["used_s"] / figures["count"]
        table.row(
            f"{count} tables, {count * SEATS} players: 99th percentile",
            f"{figures['p99_ms']:.0f} ms",
            f"goal 150 at 100; {action_us[count]:,.0f} us of server and PostgreSQL an action",
        )
        tables_stop(made)
        if figures["p99_ms"] > 150:
            break
    fewest, most = min(action_us), max(action_us)
    ratio = action_us[most] / action_us[fewest]
    table.row(f"an action at {most} tables, compared with {fewest}", f"{ratio:.2f} times", "goal 1.0 at most: flat")
    return table


def _rounds(bench: BenchEnvironment, players: BenchPlayers, seconds: float, delivery_us: float) -> Table:
    solo, together = [], []
    for _ in range(3):
        before = cpu_s(bench.sockets_pid) + cpu_s(bench.postgres_pid)
        played = load_run(
            "actions",
            port=SOCKET_PORT,
            tokens=players.blackjack[:ROUND_SEATS],
            seconds=seconds,
            run=uuid4().hex[:12],
            pace="round",
        )
        solo.append(1e6 * (cpu_s(bench.sockets_pid) + cpu_s(bench.postgres_pid) - before) / played["rounds"])
        made = table_make("blackjack", currency="FUN", window_s=20, pause_s=0)
        tokens = sessions_make([made], seated=ROUND_SEATS)
        pids = [bench.sockets_pid, bench.postgres_pid]
        figures = _run("rounds", pids=pids, tokens=tokens, table=table_address(made), seconds=2 * seconds)
        spent_us = 1e6 * figures["used_s"]
        together.append((spent_us - delivery_us * figures["deliveries"]) / max(1, figures["rounds"]))
        tables_stop([made])
    table = Table(f"A round of blackjack of {ROUND_SEATS}, deliveries apart (medians)")
    table.row("seven solo rounds", f"{ROUND_SEATS * median(solo):,.0f} us")
    table.row("a table's round", f"{median(together):,.0f} us")
    table.row("ratio", f"{median(together) / (ROUND_SEATS * median(solo)):.2f}", "goal 1.5")
    return table


def _run(kind: str, **work: Any) -> dict[str, Any]:
    return load_run(kind, module=MODULE, port=SOCKET_PORT, **work)
