"""Rounds a second of the pure engines with a fair shoe, and of installed peers of the blackjack engine."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Final

from apps.baccarat.engine import GameType, bet_settle, deal
from apps.baccarat.simulator import simulate as baccarat_simulate
from apps.blackjack.engine.actions import (
    DEALER_HIT,
    DECLINE,
    DOUBLE,
    HIT,
    SPLIT,
    STAND,
    SURRENDER,
    Action,
    legal_actions,
    playing_hand,
)
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import DEALER, QUESTION, SETTLED, Pace, RoundState
from apps.blackjack.mathematics.edge import edge_compute, house_edge
from apps.blackjack.mathematics.simulator import simulate
from apps.fairness.engine import fair_shoe
from casino.bench.report import Table

SEED: Final = "0123456789abcdef" * 4
SIMULATED: Final = 1_000_000
_BY_LETTER: Final = {
    letter: Action(move) for letter, move in zip("HSDPR", (HIT, STAND, DOUBLE, SPLIT, SURRENDER), strict=True)
}
_DECLINE: Final = Action(DECLINE)
_DEALER_HIT: Final = Action(DEALER_HIT)
PEERS: Final = Path(__file__).with_name("peers")


def baccarat_rounds_per_s(seconds: float) -> float:
    """Deal and settle one bet a round."""
    stake, odds, quantum = Decimal(10), Fraction(1), Decimal("0.01")

    def play(nonce: int) -> None:
        bet_settle(deal(fair_shoe(SEED, "punto", nonce, decks=8)), GameType.PLAYER, stake, odds, quantum=quantum)

    return _rate(play, seconds)


def blackjack_rounds_per_s(pace: Pace, seconds: float) -> float:
    """Play a round of the solo rules by the chart, with every card from a fair shoe. At Pace.TABLE the dealer plays in
    the player's last action, as in Gymnasium and engine-blackjack; at Pace.SOLO each of the dealer's cards is an action
    of its own.
    """
    setup = RoundSetup(SOLO_RULES, (SeatStakes(100),), pace)
    chart = house_edge(SOLO_RULES).chart
    order_of = cache(chart.order)

    def play(nonce: int) -> None:
        shoe = fair_shoe(SEED, "punto", nonce, decks=SOLO_RULES.decks)
        state, _ = round_start(setup, shoe)
        while state.phase is not SETTLED:
            state, _ = apply_action(state, _chosen(state, order_of), shoe)

    return _rate(play, seconds)


def _chosen(state: RoundState, order_of: Callable[[tuple[int, ...], int], str]) -> Action:
    """Return the chart's move; it never takes insurance."""
    if state.phase is DEALER:
        return _DEALER_HIT
    if state.phase is QUESTION:
        return _DECLINE
    values = tuple([card.value for card in playing_hand(state, 0).cards])
    order = order_of(values, state.upcard.value)
    # Every hand may hit and stand under these rules. Other moves are checked only if the chart wants one.
    if order[0] in "HS":
        return _BY_LETTER[order[0]]
    moves = legal_actions(state, None, 0)
    return next(action for action in map(_BY_LETTER.__getitem__, order) if action.move in moves)


def engines_measure(*, repetitions: int, seconds: float) -> Table:
    """Measure all of them in turns, and return the medians."""
    peers: dict[str, Callable[[float], float | None]] = {
        "baccarat, one bet": baccarat_rounds_per_s,
        "blackjack, basic strategy": partial(blackjack_rounds_per_s, Pace.TABLE),
        "blackjack, the dealer card by card": partial(blackjack_rounds_per_s, Pace.SOLO),
        "OpenSpiel blackjack, from Python": lambda seconds: _peer_python("openspiel.py", seconds),
        "Gymnasium Blackjack-v1": lambda seconds: _peer_python("gymnasium_blackjack.py", seconds),
        "npm engine-blackjack, its one deck": partial(_peer_node, 1),
        "npm engine-blackjack, eight decks like ours": partial(_peer_node, 8),
    }
    figures: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(repetitions):
        for name, measure in peers.items():
            rate = measure(seconds)
            if rate is not None:
                figures[name].append(rate)
    goal = "goal 30,000, and more than each peer"
    goals = {
        "baccarat, one bet": "goal 60,000",
        "blackjack, basic strategy": goal,
        "blackjack, the dealer card by card": goal,
    }
    table = Table("Engines, rounds a second a core (medians)")
    for name, rates in figures.items():
        table.row(name, f"{median(rates):,.0f}" if rates else "not measured", goals.get(name, ""))
    return table


def mathematics_measure() -> Table:
    """Time the solver on one rule set, and the simulator."""
    began = time.perf_counter()
    edge_compute(SOLO_RULES)
    solved_s = time.perf_counter() - began
    table = Table("Mathematics, one core")
    table.row("exact house edge and chart, 8 decks", f"{solved_s:.1f} s", "goal: at most 30 s")
    for name, rate, goal in simulator_rates():
        table.row(f"simulator, {name}", f"{rate:,.0f} rounds/s", f"goal {goal:,}")
    return table


def simulator_rates() -> list[tuple[str, float, int]]:
    """Return the rounds a second of the vectorized simulators, with their goals."""
    chart = house_edge(SOLO_RULES).chart
    simulators: list[tuple[str, Callable[[int], object], int]] = [
        ("baccarat", lambda rounds: baccarat_simulate(decks=8, rounds=rounds, seed=1), 1_000_000),
        ("blackjack", lambda rounds: simulate(SOLO_RULES, chart, rounds=rounds, seed=1), 200_000),
    ]
    rates = []
    for name, run, goal in simulators:
        run(100_000)
        began = time.perf_counter()
        run(SIMULATED)
        rates.append((name, SIMULATED / (time.perf_counter() - began), goal))
    return rates


def _rate(play: Callable[[int], object], seconds: float) -> float:
    for nonce in range(200):
        play(nonce)
    began = time.perf_counter()
    count = 0
    while (lasted := time.perf_counter() - began) < seconds:
        for nonce in range(count, count + 100):
            play(nonce)
        count += 100
    return count / lasted


def _peer_python(script: str, seconds: float) -> float | None:
    """Run a peer in the Python of PUNTO_BENCH_PEERS, since peers are not dependencies."""
    python = os.environ.get("PUNTO_BENCH_PEERS", sys.executable)
    return _peer([python, str(PEERS / script), str(seconds)])


def _peer_node(decks: int, seconds: float) -> float | None:
    node = shutil.which("node")
    folder = os.environ.get("PUNTO_BENCH_NODE", "")
    return (
        _peer([node, str(PEERS / "engine_blackjack.mjs"), folder, str(decks), str(seconds)])
        if node and folder
        else None
    )


def _peer(command: list[str]) -> float | None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else None
