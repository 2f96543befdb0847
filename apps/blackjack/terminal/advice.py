"""Hints from the mathematics, in words."""

from pathlib import Path

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


def is_at_once(rules: BlackjackRules) -> bool:
    """Say whether the first hint for these rules needs no calculation of some seconds."""
    return edge_known(rules, cache_dir=_cache_dir()) is not None


def advice_text(state: RoundState, seat: int, moves: tuple[Move, ...]) -> str:
    """Return what basic strategy says to the seat that is asked for one of `moves`."""
    chart = house_edge(state.rules, cache_dir=_cache_dir()).chart
    return f"Basic strategy: {MOVE_KEYS[advised_move(chart, state, seat, moves)][1]}."


def advised_move(chart: Chart, state: RoundState, seat: int, moves: tuple[Move, ...]) -> Move:
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


def _cache_dir() -> Path:
    return Path.home() / ".cache" / "punto"
