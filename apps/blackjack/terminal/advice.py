"""Hints from the mathematics as texts."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from apps.blackjack.engine.actions import Move
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.state import Phase, RoundState, open_hand_index
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.edge import edge_known, house_edge
from apps.blackjack.mathematics.hint import Advice, chart_advice
from apps.blackjack.terminal.scene import MOVE_KEYS

_MOVES = {
    Advice.HIT: Move.HIT,
    Advice.STAND: Move.STAND,
    Advice.DOUBLE: Move.DOUBLE,
    Advice.SURRENDER: Move.SURRENDER,
    Advice.SPLIT: Move.SPLIT,
}
_ADVICE = {move: advice for advice, move in _MOVES.items()}


CACHE_DIR: Final = Path(__file__).resolve().parents[3] / ".punto" / "blackjack"
"""The cache of `manage.py house_edge`."""


class Advisor:
    """Basic strategy of one rule set; computed for the first hint unless it is known."""

    def __init__(self, rules: BlackjackRules) -> None:
        self._rules = rules
        known = edge_known(rules, cache_dir=CACHE_DIR)
        self._chart = None if known is None else known.chart

    @property
    def is_ready(self) -> bool:
        """Whether the next hint needs no calculation, which takes some seconds."""
        return self._chart is not None

    def hint(self, state: RoundState, seat: int, moves: Sequence[Move]) -> str:
        """Return the hint of basic strategy for a seat with these legal `moves`."""
        if self._chart is None:
            # An installation in a read-only folder has no cache.
            may_keep = os.access(CACHE_DIR.parents[1], os.W_OK)
            self._chart = house_edge(self._rules, cache_dir=CACHE_DIR if may_keep else None).chart
        return f"Basic strategy: {MOVE_KEYS[advised_move(self._chart, state, seat, moves)][1]}."


def advised_move(chart: Chart, state: RoundState, seat: int, moves: Sequence[Move]) -> Move:
    """Return the move of the chart."""
    if len(moves) == 1:
        return moves[0]
    if state.phase is not Phase.QUESTION:
        index = open_hand_index(state.seats[seat])
        assert index is not None
        hand = state.seats[seat].hands[index]
        return _MOVES[chart_advice(chart, hand.cards, state.upcard, [_ADVICE[move] for move in moves])]
    if Move.SURRENDER in moves:
        hand = state.seats[seat].hands[0]
        if chart_advice(chart, hand.cards, state.upcard, list(Advice)) is Advice.SURRENDER:
            return Move.SURRENDER
    return Move.INSURE if chart.insure and Move.INSURE in moves else Move.DECLINE
