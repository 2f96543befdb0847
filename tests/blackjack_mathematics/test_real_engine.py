"""The product's engine, played by the chart from fair shoes, against the exact figures. It is slow, so the rounds are
few."""

from math import sqrt

import pytest

from apps.blackjack.engine.actions import Action, Move, legal_actions, playing_hand
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, TERMINAL_RULES, BlackjackRules
from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import Pace, Phase, RoundState
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.documented import documented_rules
from apps.blackjack.mathematics.edge import edge_known
from apps.blackjack.mathematics.hint import Advice, chart_advice
from apps.fairness.engine import fair_shoe
from tests.support.long_form import IS_LONG

ROUNDS = 1_000_000 if IS_LONG else 20_000
SERVER_SEED = "5eed" * 16
STAKE = 10
MOVES = {
    Advice.HIT: Move.HIT,
    Advice.STAND: Move.STAND,
    Advice.DOUBLE: Move.DOUBLE,
    Advice.SURRENDER: Move.SURRENDER,
    Advice.SPLIT: Move.SPLIT,
}
ADVICE = {move: advice for advice, move in MOVES.items()}


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(SOLO_RULES, id="solo"),
        pytest.param(TERMINAL_RULES, id="terminal"),
        pytest.param(documented_rules()["8 decks, S17, DAS, no hole card"], id="no-hole-card"),
        pytest.param(
            documented_rules()["6 decks, S17, DAS, early surrender except against an ace"], id="early-surrender"
        ),
    ],
)
def test_the_engine_pays_what_was_computed(rules: BlackjackRules) -> None:
    edge = edge_known(rules)
    assert edge is not None
    played = [round_played(rules, edge.chart, nonce) for nonce in range(ROUNDS)]
    won = [winnings / STAKE for winnings, _ in played]
    mean = sum(won) / ROUNDS
    error = sqrt(sum((result - mean) ** 2 for result in won)) / ROUNDS
    assert abs(mean + edge.chart_edge) <= 3 * error
    # The standard deviation of a round is 1.1 to 1.2 stakes; a wrong payout of doubles, splits or naturals changes it.
    assert 1.1 < error * sqrt(ROUNDS) < 1.2
    squared = sum((staked / STAKE) ** 2 for _, staked in played)
    assert edge.deviation == pytest.approx(error * ROUNDS / sqrt(squared), abs=0.025)


def round_played(rules: BlackjackRules, chart: Chart, nonce: int) -> tuple[int, int]:
    """Return the winnings and the stakes of one round played by the chart, in smallest units."""
    shoe = fair_shoe(SERVER_SEED, "chart", nonce, decks=rules.decks)
    state, _ = round_start(RoundSetup(rules, (SeatStakes(STAKE),), Pace.TABLE), shoe)
    while state.phase is not Phase.SETTLED:
        state, _ = apply_action(state, Action(move_by_chart(chart, state)), shoe)
    account = seat_account(state.seats[0])
    return account.paid - account.staked, account.staked


def move_by_chart(chart: Chart, state: RoundState) -> Move:
    moves = legal_actions(state, None, 0)
    if state.phase is Phase.QUESTION:
        asked = state.seats[0].hands[0].cards
        gives_up = (
            Move.SURRENDER in moves and chart_advice(chart, asked, state.upcard, list(Advice)) is Advice.SURRENDER
        )
        return Move.SURRENDER if gives_up else Move.DECLINE
    legal = [ADVICE[move] for move in moves]
    return MOVES[chart_advice(chart, playing_hand(state, 0).cards, state.upcard, legal)]
