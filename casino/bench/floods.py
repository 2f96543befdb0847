"""The effect of one flooding client on others: latency of players' GetBalance without and with it, in turns."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, Final

from casino.bench.bench_environment import BenchEnvironment, program
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import load_run
from casino.bench.flooder import KINDS
from casino.bench.report import Table

PORT: Final = 8734
PLAYERS: Final = 20
EVERY_S: Final = 0.2
"""Seconds between two requests of a player."""
LAYOUTS: Final = {"uvicorn": ["sockets"], "daphne": ["web", "--with-sockets"]}


def floods_measure(bench: BenchEnvironment, players: BenchPlayers, *, repetitions: int, seconds: float) -> list[Table]:
    """Measure every kind of flood against both servers with the default limits."""
    environment = bench.environment | {"PUNTO_RATE_LIMITS": "1", "PUNTO_DB_POOL": "1"}
    tables = []
    for name, words in LAYOUTS.items():
        quiet: dict[str, list[float]] = defaultdict(list)
        flooded: dict[str, list[float]] = defaultdict(list)
        with program(words, environment, PORT):
            _balances(players, seconds)
            for repetition in range(repetitions):
                for number, kind in enumerate(KINDS):
                    quiet[kind].append(_balances(players, seconds))
                    # An address that has flooded before would be refused at the handshake.
                    source = f"127.{repetition + 1}.{number}.1"
                    with _flooder(kind, token=players.blackjack[PLAYERS], source=source, seconds=seconds + 1):
                        flooded[kind].append(_balances(players, seconds))
        tables.append(_table(name, quiet, flooded))
    return tables


def _balances(players: BenchPlayers, seconds: float) -> float:
    """Return the 99th percentile of the players' latencies in milliseconds."""
    figures = load_run("balances", port=PORT, tokens=players.blackjack[:PLAYERS], seconds=seconds, every_s=EVERY_S)
    return float(figures["p99_ms"])


@contextmanager
def _flooder(kind: str, **work: Any) -> Iterator[None]:
    command = [sys.executable, "-m", "casino.bench.flooder", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps(work | {"port": PORT}) + "\n")
        child.stdin.flush()
        yield
        said, _ = child.communicate(timeout=work["seconds"] + 60)
    counts = json.loads(said)
    if not counts["opened"]:
        raise SystemExit(f"The flood of {kind} sent nothing.")


def _table(name: str, quiet: dict[str, list[float]], flooded: dict[str, list[float]]) -> Table:
    table = Table(f"GetBalance of {PLAYERS} players beside one flooding client, {name} (medians of 99th percentiles)")
    for kind in KINDS:
        ratio = median(after / before for before, after in zip(quiet[kind], flooded[kind], strict=True))
        figures = f"{median(quiet[kind]):.1f} and {median(flooded[kind]):.1f} ms"
        table.row(f"{kind}: without and with", figures, f"{ratio:.2f} times, goal 2")
    return table
