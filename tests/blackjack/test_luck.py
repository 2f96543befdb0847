"""The luck of blackjack's rounds: its mean is 0 however anybody plays, so that skill is not taken for a bias."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log1p, sqrt
from random import Random

import pytest

from apps.blackjack.decisions import MOVES, Decision, chart_move, decision_now
from apps.blackjack.engine.actions import Action, Move, insurance_range, legal_actions
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, TERMINAL_RULES, BlackjackRules, Surrender
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import Phase
from apps.blackjack.luck_of_decisions import luck_of_round
from apps.blackjack.mathematics.edge import house_edge
from apps.blackjack.mathematics.luck import Luck, round_values
from apps.cards.card import CARDS, Card
from tests.support.long_form import IS_LONG

ROUNDS = 200_000 if IS_LONG else 4_000
FAIR_ROUNDS = ROUNDS if IS_LONG else 1_500
"""The number of rounds of each of four players by each of four sets of rules."""

Player = Callable[[Decision], Move]


def chart_player(rules: BlackjackRules) -> Player:
    chart = house_edge(rules).chart
    return lambda decision: chart_move(chart, decision)


def random_player(random: Random) -> Player:
    return lambda decision: random.choice(decision.moves)


def never_hitting(decision: Decision) -> Move:
    return Move.DECLINE if decision.is_question else Move.STAND


def best_player(rules: BlackjackRules) -> Player:
    """Return a player who decides by the exact values, and by the chart on the hands of a split."""
    values, by_chart = round_values(rules), chart_player(SOLO_RULES)

    def choose(decision: Decision) -> Move:
        hand, upcard = [card.value for card in decision.cards], decision.upcard.value
        if decision.is_question:
            answers = values.answers(hand, upcard)
            worth = {
                Move.DECLINE: answers.decline,
                Move.INSURE: answers.decline + answers.insure,
                Move.SURRENDER: answers.surrender,
            }
            return max(decision.moves, key=worth.__getitem__)
        if decision.is_split:
            return by_chart(decision)
        known = values.decisions(hand, upcard, [each for each, move in MOVES.items() if move in decision.moves])
        return MOVES[max(known, key=known.__getitem__)]

    return choose


def played(rules: BlackjackRules, player: Player, shoe: tuple[Card, ...], *, stake: int = 100) -> tuple[Luck, float]:
    """Play a round of the engine; return its luck, and its winnings in first stakes."""
    setup = RoundSetup(rules, (SeatStakes(stake),))
    state, _ = round_start(setup, shoe)
    actions = []
    while state.phase is not Phase.SETTLED:
        decision = decision_now(state, funds=None)
        move = legal_actions(state, None, 0)[0] if decision is None else player(decision)
        insurance = insurance_range(state, None, 0)[-1] if move is Move.INSURE else 0
        actions.append(Action(move, 0, insurance))
        state, _ = apply_action(state, actions[-1], shoe)
    shown = [card.code for card in shoe[: state.drawn]]
    seat = state.seats[0]
    won = sum(hand.payout - hand.stake for hand in seat.hands)
    if seat.insurance is not None:
        won += seat.insurance.payout - seat.insurance.stake
    return luck_of_round(setup, actions, shown, seat), won / stake


def shoes(rules: BlackjackRules, count: int, *, seed: int, is_biased: bool = False) -> list[tuple[Card, ...]]:
    """Return the first cards of shoes. With a bias the dealer's upcard is a ten twice as often."""
    random = Random(seed)
    dealt = []
    for _ in range(count):
        cards = [CARDS[place % 52] for place in random.sample(range(52 * rules.decks), 40)]
        if is_biased and random.random() < 0.4:
            cards[1] = CARDS[9]
        dealt.append(tuple(cards))
    return dealt


RULES = {
    "solo": SOLO_RULES,
    "one-deck": TERMINAL_RULES,
    "no-peek": replace(SOLO_RULES, dealer_peek=False, surrender=Surrender.OFF),
    "early-surrender": replace(SOLO_RULES, surrender=Surrender.EARLY),
}


@pytest.mark.parametrize("name", RULES)
def test_the_mean_is_0_however_anybody_plays(name: str) -> None:
    rules = RULES[name]
    dealt = shoes(rules, FAIR_ROUNDS, seed=15)
    players = {
        "best": best_player(rules), "chart": chart_player(SOLO_RULES), "random": random_player(Random(1)),
        "never": never_hitting,
    }  # fmt: skip
    for who, player in players.items():
        rounds = [played(rules, player, shoe) for shoe in dealt]
        mean = sum(luck.luck for luck, _ in rounds) / FAIR_ROUNDS
        error = sqrt(sum(luck.luck**2 for luck, _ in rounds)) / FAIR_ROUNDS
        assert abs(mean) < 4 * error, (who, mean, error)
        assert all(-10 < luck.luck < 50 for luck, _ in rounds)
        assert all(luck.given_away >= -1e-9 for luck, _ in rounds)
        for value in (0.01, -0.01):
            assert exp(sum(log1p(value * luck.luck) for luck, _ in rounds)) < 10_000
        if who == "best":
            assert max(luck.given_away for luck, _ in rounds) < 1e-9
        if who in ("random", "never"):
            given = sum(luck.given_away for luck, _ in rounds) / FAIR_ROUNDS
            won = sum(net for _, net in rounds) / FAIR_ROUNDS
            assert given > 0.05
            # The winnings are the value of the game, less the cost of mistakes, plus luck.
            assert abs(won - (round_values(rules).expected - given)) < 0.1


def test_a_biased_shoe_shows_whoever_plays() -> None:
    """The upcard is a ten too often. The luck of bad players shows the bias too."""
    dealt = shoes(SOLO_RULES, ROUNDS, seed=16, is_biased=True)
    players = (best_player(SOLO_RULES), chart_player(SOLO_RULES), random_player(Random(2)), never_hitting)
    for player in players:
        rounds = [played(SOLO_RULES, player, shoe)[0].luck for shoe in dealt]
        mean, error = sum(rounds) / ROUNDS, sqrt(sum(each**2 for each in rounds)) / ROUNDS
        assert mean < -3 * error


def test_payouts_that_are_cut_down_to_the_unit_are_no_bad_luck() -> None:
    dealt = shoes(SOLO_RULES, 400, seed=3)
    one, many = ([played(SOLO_RULES, never_hitting, shoe, stake=stake)[0] for shoe in dealt] for stake in (1, 10_000))
    assert [luck.luck for luck in one] == pytest.approx([luck.luck for luck in many])
