"""The cost of the proof of played rounds: time and memory for each round, and scaled to the goal."""

import os
import time
from dataclasses import dataclass
from typing import Final

from casino.bench.bench_environment import SOCKET_PORT, BenchEnvironment, cpu_s, memory_bytes
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import bearers, load_run
from casino.bench.report import Table

GOAL_ROUNDS: Final = 1_000_000
GOAL_S: Final = 90


@dataclass(frozen=True, slots=True)
class _Cost:
    """The cost of one run, in seconds except for the memory."""

    wall_s: float
    python_s: float
    database_s: float
    memory_bytes: int


def proofs_measure(bench: BenchEnvironment, players: BenchPlayers, *, seconds: float) -> Table:
    """Play baccarat for a number of seconds, seal the day before, and prove half of the rounds, then all of them."""
    from apps.office.proof import Scope, proof_run
    from apps.rounds.models import Round
    from apps.wallet.seals import yesterday_seal_take

    halves = []
    for _ in range(2):
        load_run(
            "http", port=SOCKET_PORT, method="POST", path="/api/game/baccarat/bet",
            body='{"game_type": 1, "bet_amount": 1}', credentials=bearers(players.baccarat),
            connections=16, seconds=seconds / 2,
        )  # fmt: skip
        before = _now(bench)
        proof = proof_run(scope=Scope.ROUNDS)
        halves.append((proof.redealt_count, _since(bench, before)))
        if proof.findings:
            raise SystemExit(f"the proof found {proof.findings[0]}")
    before = _now(bench)
    yesterday_seal_take()
    sealed = _since(bench, before)
    before = _now(bench)
    proof_run(scope=Scope.LEDGER)
    ledger = _since(bench, before)

    rounds = Round.objects.count()
    redealt, cost = halves[1]
    table = Table(f"The proof of {rounds:,} baccarat rounds, in one process")
    table.row("rounds: wall, CPU of Python, of PostgreSQL, a round", _each(cost, redealt))
    scaled = cost.wall_s / redealt * GOAL_ROUNDS
    table.row(f"the same, scaled to {GOAL_ROUNDS:,}", f"{scaled:.0f} s", f"goal: {GOAL_S} s")
    grown = (halves[1][1].memory_bytes - halves[0][1].memory_bytes) / 2**20
    table.row(f"memory with {halves[0][0]:,} rounds and with {redealt:,}", f"{grown:+.1f} MB", "goal: flat")
    table.row("the seal, a round", _each(sealed, rounds))
    table.row("ledger, seals and histories, a round", _each(ledger, rounds))
    return table


def _each(cost: _Cost, count: int) -> str:
    return " and ".join(f"{seconds / count * 1e6:.0f}" for seconds in (cost.wall_s, cost.python_s, cost.database_s)) + (
        " us"
    )


def _now(bench: BenchEnvironment) -> _Cost:
    own = os.getpid()
    return _Cost(time.perf_counter(), time.process_time(), cpu_s(bench.postgres_pid), memory_bytes(own))


def _since(bench: BenchEnvironment, before: _Cost) -> _Cost:
    now = _now(bench)
    return _Cost(
        now.wall_s - before.wall_s,
        now.python_s - before.python_s,
        now.database_s - before.database_s,
        now.memory_bytes,
    )
