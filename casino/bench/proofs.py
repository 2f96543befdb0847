"""The cost of the proof of played rounds: time, memory, and the bets that are lost while it runs."""

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from functools import partial
from queue import Queue
from statistics import median
from typing import Final
from uuid import uuid4

import psutil
import psycopg

from casino.bench.bench_environment import SOCKET_PORT, START_TIMEOUT_S, BenchEnvironment
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import bearers, load_run
from casino.bench.costs import Cost, Measured, database_now
from casino.bench.report import Table

GOAL_S: Final = 90
GOAL_OF_BACCARAT: Final = 1_000_000
GOAL_OF_BLACKJACK: Final = 100_000
"""The goal: the number of rounds that are proven in GOAL_S of one core."""

PLAY_GOAL: Final = 0.95
CONNECTIONS: Final = 16
PLAYED_AT_ONCE_S: Final = 20
BLACKJACK_SHARE: Final = 10
"""Baccarat rounds for one of blackjack."""


def proofs_measure(
    bench: BenchEnvironment, players: BenchPlayers, *, rounds: int, repetitions: int, seconds: float
) -> Iterator[Table]:
    """Play the rounds of baccarat and a tenth as many of blackjack; prove them, alone and during play, and seal them.

    Yields each table as soon as it is complete.
    """
    blackjack = _blackjack_proof(bench, players, rounds // BLACKJACK_SHARE)
    since = database_now()
    tenth = _baccarat_proof(bench, players, rounds // 10, since)
    yield _proof_table({"blackjack": (blackjack, GOAL_OF_BLACKJACK), "baccarat": (tenth, GOAL_OF_BACCARAT)})
    yield _play_table(bench, players, repetitions, seconds, since)
    whole = _baccarat_proof(bench, players, rounds, since)
    table = _proof_table({"baccarat": (whole, GOAL_OF_BACCARAT)})
    grown = (whole.memory_bytes - tenth.memory_bytes) / 2**20
    table.row(f"    memory, against {tenth.count:,} rounds", f"{grown:+,.1f} MB", "goal: flat")
    seal, ledger = _seal_and_ledger(bench)
    table.row("the seal of all rows", seal.text)
    table.row("the ledger, the seals and the histories", ledger.text)
    yield table


def _proof_table(costs: Mapping[str, tuple[Cost, int]]) -> Table:
    table = Table("The proof in one process: seconds by the clock, CPU of Python and of PostgreSQL")
    for game, (cost, goal) in costs.items():
        table.row(f"{cost.count:,} {game} rounds", cost.text)
        table.row("    CPU a round", f"{cost.each_us:,.0f} us", f"goal: {GOAL_S * 1e6 / goal:,.0f} us")
        table.row("    memory of the process", f"{cost.memory_bytes / 2**20:,.0f} MB")
    return table


def _blackjack_proof(bench: BenchEnvironment, players: BenchPlayers, rounds: int) -> Cost:
    from apps.blackjack.apps import GAME_ID

    while _rounds_count(GAME_ID) < rounds:
        load_run(
            "actions", port=SOCKET_PORT, tokens=players.blackjack[:CONNECTIONS], seconds=PLAYED_AT_ONCE_S,
            run=uuid4().hex[:12], pace="round",
        )  # fmt: skip
    return _proof_cost(bench)


def _baccarat_proof(bench: BenchEnvironment, players: BenchPlayers, rounds: int, since: datetime) -> Cost:
    from apps.baccarat.apps import GAME_ID

    while (missing := rounds - _rounds_count(GAME_ID)) > 0:
        _bets_place(players, min(PLAYED_AT_ONCE_S, 1 + missing / 1000))
    return _proof_cost(bench, since=since)


def _proof_cost(bench: BenchEnvironment, *, since: datetime | None = None) -> Cost:
    """Return the cost of the proof of the rounds that ended since then. A finding stops the benchmark."""
    from apps.office.proof import ProofScope, proof_run

    with Measured(bench) as measured:
        proof = proof_run(scope=ProofScope.ROUNDS, rounds_since=since)
        if proof.findings:
            raise SystemExit(f"the proof found {proof.findings[0]}")
        measured.count = proof.redealt_count
    return measured.cost


def _seal_and_ledger(bench: BenchEnvironment) -> tuple[Cost, Cost]:
    from apps.office.proof import ProofScope, proof_run
    from apps.wallet.seals import yesterday_seal_take

    with Measured(bench) as seal:
        yesterday_seal_take()
    with Measured(bench) as ledger:
        proof_run(scope=ProofScope.LEDGER)
    return seal.cost, ledger.cost


def _play_table(
    bench: BenchEnvironment, players: BenchPlayers, repetitions: int, seconds: float, since: datetime
) -> Table:
    """Return the bets a second, alternately without and during a proof of the rounds since then."""
    table = Table(f"Bets a second without and during a proof ({repetitions} turns, medians)")
    cores = sorted(os.sched_getaffinity(0))
    table.row(
        "the proof and the servers share all cores",
        *_play_ratio(players, repetitions, seconds, partial(_proving, since, cores)),
    )
    if len(cores) > 1:
        with _pinned(bench, cores[:-1]):
            figures = _play_ratio(players, repetitions, seconds, partial(_proving, since, cores[-1:]))
        table.row("the proof has one core, the servers the others", *figures)
    return table


def _play_ratio(
    players: BenchPlayers, repetitions: int, seconds: float, proving: Callable[[], AbstractContextManager[None]]
) -> tuple[str, str]:
    without: list[float] = []
    beside: list[float] = []
    for number in range(repetitions):
        if number % 2:
            without.append(_bets_place(players, seconds))
        with proving():
            beside.append(_bets_place(players, seconds))
        if not number % 2:
            without.append(_bets_place(players, seconds))
    ratios = [proven / alone for proven, alone in zip(beside, without, strict=True)]
    return f"{median(without):,.0f} and {median(beside):,.0f}", f"{median(ratios):.3f} times, goal: {PLAY_GOAL}"


@contextmanager
def _proving(since: datetime, cores: Collection[int]) -> Iterator[None]:
    """Prove the rounds since then repeatedly on these cores while the block runs."""
    from django.db import OperationalError, connection

    from apps.office.proof import ProofScope, proof_run

    is_over = threading.Event()
    links: Queue[psycopg.Connection] = Queue()

    def prove() -> None:
        os.sched_setaffinity(0, cores)
        connection.ensure_connection()
        os.sched_setaffinity(connection.connection.info.backend_pid, cores)
        links.put(connection.connection)
        try:
            while not is_over.is_set():
                proof_run(scope=ProofScope.ROUNDS, rounds_since=since)
        except OperationalError:
            if not is_over.is_set():
                raise
        finally:
            connection.close()

    prover = threading.Thread(target=prove)
    prover.start()
    link = links.get(timeout=START_TIMEOUT_S)
    try:
        yield
    finally:
        is_over.set()
        while prover.is_alive():  # a request to cancel is lost on a connection between two statements
            link.cancel()
            prover.join(0.1)


@contextmanager
def _pinned(bench: BenchEnvironment, cores: Collection[int]) -> Iterator[None]:
    """Run the servers, PostgreSQL and the clients that the block starts on these cores only."""
    pids = (bench.postgres_pid, bench.web_pid, bench.sockets_pid, bench.limited_pid, bench.echo_pid, os.getpid())
    every = os.sched_getaffinity(0)
    try:
        for pid in pids:
            _tree_pin(pid, cores)
        yield
    finally:
        for pid in pids:
            _tree_pin(pid, every)


def _tree_pin(pid: int, cores: Collection[int]) -> None:
    root = psutil.Process(pid)
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            for thread in process.threads():
                os.sched_setaffinity(thread.id, cores)


def _bets_place(players: BenchPlayers, seconds: float) -> float:
    """Return the bets a second."""
    figures = load_run(
        "http", port=SOCKET_PORT, method="POST", path="/api/game/baccarat/bet",
        body='{"game_type": 1, "bet_amount": 1}', credentials=bearers(players.baccarat),
        connections=CONNECTIONS, seconds=seconds,
    )  # fmt: skip
    return float(figures["per_s"])


def _rounds_count(game_id: str) -> int:
    from apps.rounds.models import Round

    return Round.objects.filter(game=game_id).count()
