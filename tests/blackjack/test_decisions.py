"""Advice on a decision: it has the exact values, computed from visible cards alone."""

from random import Random

import pytest

from apps.blackjack.decisions import chart_move, decision_now, decisions_taken, values_computed
from apps.blackjack.engine.actions import Action, Move, insurance_range, legal_actions
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, Insurance, Surrender
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import Phase, RoundState
from apps.blackjack.explain import cards_dealt
from apps.blackjack.mathematics.edge import edge_known
from apps.blackjack.mathematics.hands import hand_table
from apps.blackjack.mathematics.hint import Advice, decision_values, question_values
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.round_value import solve
from apps.cards.card import CARDS, Card
from apps.cards.notation import parse_cards

SETUP = RoundSetup(SOLO_RULES, (SeatStakes(10),))
REST = "S2 S3 S4 S5 S6 S7 C2 C3 C4 C5"


def started(cards: str) -> RoundState:
    return round_start(SETUP, parse_cards(f"{cards} {REST}"))[0]


def moved(state: RoundState, move: Move, cards: str) -> RoundState:
    return apply_action(state, Action(move), parse_cards(f"{cards} {REST}"))[0]


def test_the_values_of_a_hand_are_those_of_the_mathematics() -> None:
    decision = decision_now(started("H10 D10 C6 D7"), funds=None)
    assert decision is not None
    exact = decision_values(SOLO_RULES, (10, 6), 10)
    found = values_computed(SOLO_RULES, decision.facts())
    assert found == {advice.name.lower(): value for advice, value in exact.items()}
    chart = edge_known(SOLO_RULES)
    assert chart is not None
    assert chart_move(chart.chart, decision) is Move.SURRENDER


def test_no_hidden_card_changes_an_answer() -> None:
    shown = "H10 D10 C6"
    answers = set()
    for hole in CARDS:
        if hole.value == 1:
            continue  # a natural ends the round at once: there is no decision
        for following in ("S10 H9", "S2 H3"):
            state, _ = round_start(SETUP, parse_cards(f"{shown} {hole.code} {following} {REST}"))
            decision = decision_now(state, funds=None)
            assert decision is not None
            answers.add((decision.fingerprint(), str(decision.facts()), decision.moves))
    assert len(answers) == 1


def test_a_hand_of_a_split_knows_the_other_hand_and_the_splits_left() -> None:
    rules = BlackjackRules(split_non_ace=2)
    shoe = parse_cards(f"H8 D6 C8 D10 S8 S9 {REST}")
    state, _ = round_start(RoundSetup(rules, (SeatStakes(10),)), shoe)
    state, _ = apply_action(state, Action(Move.SPLIT), shoe)
    decision = decision_now(state, funds=None)
    assert decision is not None
    assert decision.facts() == {
        "values": [8, 8 if decision.cards[1].value == 8 else 9],
        "upcard": 6,
        "gone": sorted(card.value for card in decision.others),
        "is_split": True,
        "splits_left": 1,
        "is_question": False,
    }
    found = values_computed(rules, decision.facts())
    assert set(decision.moves) <= {Move(name) for name in found}


@pytest.mark.parametrize(("values", "upcard"), [((10, 2), 6), ((5, 6), 9), ((9, 1), 4)])
def test_after_a_split_a_hand_is_played_as_one_with_the_same_cards_gone(values: tuple[int, int], upcard: int) -> None:
    """The rules treat both hands alike: double after split, and no surrender."""
    rules = BlackjackRules(surrender=Surrender.OFF)
    gone = (values[0], 3, 10)
    alone = decision_values(rules, values, upcard, gone=gone)
    assert decision_values(rules, values, upcard, gone=gone, is_split=True, splits_left=0) == pytest.approx(alone)


def test_a_pair_that_may_not_be_split_again_has_no_value_of_a_split() -> None:
    assert Advice.SPLIT in decision_values(SOLO_RULES, (8, 8), 6, gone=(8, 5), is_split=True, splits_left=1)
    assert Advice.SPLIT not in decision_values(SOLO_RULES, (8, 8), 6, gone=(8, 5), is_split=True, splits_left=0)


@pytest.mark.parametrize(
    "rules",
    [
        SOLO_RULES,
        BlackjackRules(decks=1, surrender=Surrender.OFF),
        BlackjackRules(dealer_peek=False, surrender=Surrender.OFF),
    ],
)
def test_the_answers_to_the_question_have_the_values_of_the_whole_round(rules: BlackjackRules) -> None:
    """`solve` values each first deal, and takes insurance only where that is worth more."""
    options = Options(rules)
    solution = solve(options)
    for row in range(0, len(solution.deals.rows), 6):
        counts = hand_counts(int(solution.deals.rows[row]))
        values = [value for value, count in enumerate(counts, start=1) for _ in range(count)]
        asked = question_values(rules, values, 1)
        best = max(asked.decline, asked.insure) if options.has_insurance else asked.decline
        assert best == pytest.approx(float(solution.value[row, 0]), abs=1e-12)


def hand_counts(row: int) -> list[int]:
    return [int(count) for count in hand_table().counts[row]]


def test_even_money_on_a_natural_is_worth_exactly_the_stake() -> None:
    assert question_values(SOLO_RULES, (1, 10), 1).insure == pytest.approx(1.0)


@pytest.mark.parametrize(
    "rules",
    [
        BlackjackRules(split_non_ace=3, split_ace=3),
        BlackjackRules(surrender=Surrender.EARLY, insurance=Insurance.UP_TO_HALF),
        BlackjackRules(dealer_peek=False, surrender=Surrender.OFF),
    ],
)
def test_the_decisions_of_a_finished_round_are_those_that_were_made_from_the_cards_that_were_shown(
    rules: BlackjackRules,
) -> None:
    chance = Random(14)
    count = 0
    for _ in range(150):
        shoe: tuple[Card, ...] = tuple(chance.sample(CARDS * 6, 60))
        setup = RoundSetup(rules, (SeatStakes(10),))
        state, events = round_start(setup, shoe)
        log, actions, made = [*events], [], []
        while state.phase is not Phase.SETTLED:
            moves = legal_actions(state, None)
            move = Move.SPLIT if Move.SPLIT in moves else chance.choice(moves)
            action = Action(move, insurance=insurance_range(state, None)[-1] if move is Move.INSURE else 0)
            decision = decision_now(state, funds=None)
            made.append(None if decision is None else (decision, move))
            state, events = apply_action(state, action, shoe)
            actions.append(action)
            log += events
        shown = cards_dealt(log, hole_index=state.hole_index if rules.dealer_peek else None).cards
        assert list(decisions_taken(setup, actions, shown)) == made
        count += len([each for each in made if each])
    assert count > 150
