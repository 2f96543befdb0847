"""The luck of blackjack's solo rounds, from the log of their decisions (docs/statistics.md, "RTP evidence").

luck_of_records.py reads the records for it.

A round counts up to its first split, whose value stands for the hands after it. So the mean of fair rounds is exactly
0, although the hands of a split are valued by an approximation.
"""

from collections.abc import Sequence
from typing import Final

from apps.blackjack.decisions import Decision, decisions_taken
from apps.blackjack.engine.actions import Action, Move
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import HandState, HandStatus, InsuranceStatus, SeatState
from apps.blackjack.mathematics.hint import Advice
from apps.blackjack.mathematics.luck import Luck, RoundValues, round_values

_ADVICE: Final = {
    Move.HIT: Advice.HIT,
    Move.STAND: Advice.STAND,
    Move.DOUBLE: Advice.DOUBLE,
    Move.SURRENDER: Advice.SURRENDER,
    Move.SPLIT: Advice.SPLIT,
}


def luck_of_round(setup: RoundSetup, actions: Sequence[Action], shown: Sequence[str], seat: SeatState) -> Luck:
    """Return the luck of a finished round of one seat; `shown` are its cards as `decisions_taken` wants them.

    Payouts are counted before they are cut down to the smallest unit.
    """
    values = round_values(setup.rules)
    first_stake = setup.stakes[0].main
    given_away, insured, insured_worth = 0.0, 0.0, 0.0
    for action, taken in zip(actions, decisions_taken(setup, actions, shown), strict=True):
        if taken is None:
            continue
        decision, move = taken
        if decision.is_question:
            if move is Move.INSURE:
                insured = action.insurance / first_stake
            cost, insured_worth = _question_cost(values, decision, move, insured)
            given_away += cost
            continue
        cost, worth = _decision_cost(values, decision, move)
        given_away += cost
        if move is Move.SPLIT:
            # With a peek the insurance is lost by now; without one it is open, and worth what it was.
            insurance = -insured if setup.rules.dealer_peek else insured_worth
            return Luck(worth + insurance - values.expected + given_away, given_away)
    net = sum(_won(hand, setup.rules) for hand in seat.hands) / first_stake + _insurance_won(seat) / first_stake
    return Luck(net - values.expected + given_away, given_away)


def _question_cost(values: RoundValues, decision: Decision, move: Move, insured: float) -> tuple[float, float]:
    """Return what the answer costs, and the value of the insurance that was taken."""
    answers = values.answers([card.value for card in decision.cards], decision.upcard.value)
    best = answers.best(may_insure=Move.INSURE in decision.moves, may_surrender=Move.SURRENDER in decision.moves)
    if move is Move.SURRENDER:
        return best - answers.surrender, 0.0
    worth = answers.insure * insured / 0.5 if move is Move.INSURE else 0.0
    return best - answers.decline - worth, worth


def _decision_cost(values: RoundValues, decision: Decision, move: Move) -> tuple[float, float]:
    """Return what the decision costs, and its value."""
    allowed = [_ADVICE[each] for each in decision.moves]
    worth = values.decisions([card.value for card in decision.cards], decision.upcard.value, allowed)
    return max(worth.values()) - worth[_ADVICE[move]], worth[_ADVICE[move]]


def _won(hand: HandState, rules: BlackjackRules) -> float:
    match hand.status:
        case HandStatus.BLACKJACK:
            return hand.stake * float(rules.blackjack_pays)
        case HandStatus.WIN:
            return hand.stake
        case HandStatus.PUSH:
            return 0
        case HandStatus.SURRENDER:
            return -hand.stake / 2
        case _:
            return -hand.stake


def _insurance_won(seat: SeatState) -> int:
    if seat.insurance is None:
        return 0
    return 2 * seat.insurance.stake if seat.insurance.status is InsuranceStatus.WON else -seat.insurance.stake
