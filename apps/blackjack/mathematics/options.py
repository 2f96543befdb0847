"""The options of a rule set in the form of the calculation. Pure."""

from dataclasses import dataclass

import numpy as np

from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.mathematics.hands import ACE, TEN, Bools, HandTable


@dataclass(frozen=True, slots=True)
class Options:
    """A rule set with `simple` resolved: a simple game has only Hit and Stand."""

    rules: BlackjackRules

    @property
    def sign(self) -> float:
        """1, or -1 if every balance change is negated."""
        return -1.0 if self.rules.inverted else 1.0

    @property
    def has_insurance(self) -> bool:
        return not self.rules.simple and self.rules.insurance is not Insurance.OFF

    @property
    def has_surrender(self) -> bool:
        return not self.rules.simple and self.rules.surrender is not Surrender.OFF

    def surrenders_early(self, upcard: int) -> bool:
        """Return whether early surrender is possible against this upcard.

        Against an upcard that makes no natural, early and late surrender are the same.
        """
        if not self.has_surrender:
            return False
        if self.rules.surrender is Surrender.EARLY_NOT_ACE:
            return upcard == TEN
        return self.rules.surrender is Surrender.EARLY

    def splits(self, value: int) -> int:
        """Return how often a pair of this value may be split in a round."""
        if self.rules.simple:
            return 0
        return self.rules.split_ace if value == ACE else self.rules.split_non_ace

    def double_mask(self, hands: HandTable, *, after_split: bool) -> Bools:
        """Return which hands may double, one for each row of the table."""
        first_two: Bools = (hands.size == 2) & (hands.value < 21)
        if self.rules.simple or (after_split and not self.rules.double_after_split):
            return np.zeros_like(first_two)
        match self.rules.double:
            case DoubleOn.ANY:
                return first_two
            case DoubleOn.NINE_TO_ELEVEN:
                lowest = 9
            case DoubleOn.TEN_ELEVEN:
                lowest = 10
        first_two &= ~hands.soft & (hands.value >= lowest) & (hands.value <= 11)
        return first_two

    def surrender_mask(self, hands: HandTable, *, after_split: bool) -> Bools:
        """Return which hands may be surrendered, one for each row of the table."""
        asked: Bools = (hands.size >= 2) & (hands.value < 21)
        if not self.has_surrender or (after_split and not self.rules.surrender_after_split):
            return np.zeros_like(asked)
        if not self.rules.surrender_after_hit:
            asked &= hands.size == 2
        return asked
