"""The luck of a round: what it won beyond the expectation of the decisions that were taken. Pure.

With fair cards the mean is 0 however anybody plays. Every value is in units of the first stake.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.hands import ACE, TEN, VALUES, hand_table
from apps.blackjack.mathematics.hint import Advice
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.play import Decision
from apps.blackjack.mathematics.round_value import solve

_DECISIONS: Final = (
    (Decision.STAND, Advice.STAND),
    (Decision.HIT, Advice.HIT),
    (Decision.DOUBLE, Advice.DOUBLE),
    (Decision.SURRENDER, Advice.SURRENDER),
)


class Luck(NamedTuple):
    """The luck of a round's cards, and what its player lost by decisions that were not the best."""

    luck: float
    given_away: float


class Answers(NamedTuple):
    """The values of the answers to the question before the peek, with best play afterwards."""

    decline: float
    insure: float
    """The value that insurance of half the stake adds."""
    surrender: float

    def best(self, *, may_insure: bool, may_surrender: bool) -> float:
        values = [self.decline]
        if may_insure:
            values.append(self.decline + self.insure)
        if may_surrender:
            values.append(self.surrender)
        return max(values)


class RoundValues:
    """The values of every deal and decision of a rule set, each round from a fresh shoe."""

    def __init__(self, rules: BlackjackRules) -> None:
        self._options = Options(rules)
        self._solution = solve(self._options)
        self._hands = hand_table()
        self._deal_of_row = {int(row): place for place, row in enumerate(self._solution.deals.rows)}
        self.expected = self._solution.expected_value
        """The value of a round before its first card."""

    def decisions(self, values: Sequence[int], upcard: int, allowed: Collection[Advice]) -> dict[Advice, float]:
        """Return the values of the allowed decisions on a hand that was not split; after a peek given no natural.

        `values` are those of its cards, 1 to 10.
        """
        row, column = self._row(values), upcard - 1
        play = self._solution.unsplit.decisions
        worth = {advice: float(play[decision, row, column]) for decision, advice in _DECISIONS if advice in allowed}
        if Advice.SPLIT in allowed:
            worth[Advice.SPLIT] = float(self._solution.split[self._deal_of_row[row], column])
        given = float(self._solution.context.no_natural[row, column]) if self._options.rules.dealer_peek else 1.0
        return {advice: value / given for advice, value in worth.items()}

    def answers(self, values: Sequence[int], upcard: int) -> Answers:
        """Return the values of the answers on the first two cards."""
        row, column, sign = self._row(values), upcard - 1, self._options.sign
        place = self._deal_of_row[row]
        natural = float(self._solution.deals.natural[place, column])
        peek = self._options.rules.dealer_peek
        if sorted(values) == [ACE + 1, TEN + 1]:
            decline = sign * float(self._options.rules.blackjack_pays) * (1.0 - natural)
        else:
            early = self._options.surrenders_early(column)
            play = self._solution.unsplit.decisions[:, row, column]
            best = max(
                *(float(play[each]) for each, advice in _DECISIONS if not (early and advice is Advice.SURRENDER)),
                float(self._solution.split[place, column]),
            )
            decline = best - (sign * natural if peek else 0.0)
        return Answers(decline, sign * 0.5 * (3.0 * natural - 1.0), -0.5 * sign)

    def _row(self, values: Sequence[int]) -> int:
        counts = np.bincount([value - 1 for value in values], minlength=VALUES)
        return self._hands.row_of[tuple(int(count) for count in counts)]


@lru_cache(maxsize=16)
def round_values(rules: BlackjackRules) -> RoundValues:
    """Return the values of the rules; the first call for rules takes some seconds of one core."""
    return RoundValues(rules)
