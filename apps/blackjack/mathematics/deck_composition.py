"""The composition of the shoe: the cards of its decks without the removed ones. Pure."""

from dataclasses import dataclass

import numpy as np

from apps.blackjack.mathematics.hands import TEN, VALUES, Floats, Ints
from apps.cards.shoe import INFINITE_DECKS, deck_count_check


@dataclass(frozen=True, slots=True)
class DeckComposition:
    """A fresh shoe by card value. With infinite decks a removed card changes nothing."""

    decks: int

    def __post_init__(self) -> None:
        deck_count_check(self.decks)

    @property
    def is_infinite(self) -> bool:
        return self.decks == INFINITE_DECKS

    def fresh(self) -> Floats:
        """Return the ten counts; for infinite decks those of one deck, which have the same proportions."""
        counts = np.full(VALUES, 4.0)
        counts[TEN] = 16.0
        return counts if self.is_infinite else counts * self.decks

    def left(self, removed: Ints) -> Floats:
        """Return the remaining cards of each value, for an array of removed counts whose last axis is the ten values.

        Hands that the decks cannot deal get zeros instead of negative counts; no deal leads to them.
        """
        if self.is_infinite:
            return np.broadcast_to(self.fresh(), removed.shape).copy()
        return np.maximum(self.fresh() - removed, 0.0)

    def draw_probabilities(self, removed: Ints) -> Floats:
        """Return the probability of each value as the next card, in the shape of `removed`."""
        left = self.left(removed)
        left /= left.sum(axis=-1, keepdims=True)
        return left

    def run_probability(self, removed: Ints, value: int, length: int) -> Floats:
        """Return the probability that the next `length` cards all have this value; one for each row of `removed`."""
        left = self.left(removed)
        total = left.sum(axis=-1)
        chance = np.ones(total.shape)
        for taken in range(length):
            gone = 0 if self.is_infinite else taken
            chance *= np.maximum(left[..., value] - gone, 0.0) / (total - gone)
        return chance
