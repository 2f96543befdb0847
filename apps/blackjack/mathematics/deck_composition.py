"""What the next card can be: the cards of the decks in force, less those that have been seen. Pure."""

from dataclasses import dataclass

import numpy as np

from apps.blackjack.mathematics.hands import TEN, VALUES, Floats, Ints
from apps.cards.shoe import INFINITE_DECKS, deck_count_check


@dataclass(frozen=True, slots=True)
class DeckComposition:
    """A fresh shoe by card value. With infinite decks a card that is taken out changes nothing."""

    decks: int

    def __post_init__(self) -> None:
        deck_count_check(self.decks)

    @property
    def is_infinite(self) -> bool:
        return self.decks == INFINITE_DECKS

    def fresh(self) -> Floats:
        """Return the ten counts; for infinite decks those of one deck, as they stand in the same proportion."""
        counts = np.full(VALUES, 4.0)
        counts[TEN] = 16.0
        return counts if self.is_infinite else counts * self.decks

    def left(self, removed: Ints) -> Floats:
        """Return what is left of each value, for an array of removed counts whose last axis is the ten values.

        Hands that the decks cannot deal get zeros instead of negative counts; no deal ever leads to them.
        """
        if self.is_infinite:
            return np.broadcast_to(self.fresh(), removed.shape).copy()
        return np.maximum(self.fresh() - removed, 0.0)

    def draw_chance(self, removed: Ints) -> Floats:
        """Return the chance of each value as the next card, in the shape of `removed`."""
        left = self.left(removed)
        left /= left.sum(axis=-1, keepdims=True)
        return left

    def run_chance(self, removed: Ints, value: int, length: int) -> Floats:
        """Return the chance that the next `length` cards all have this value; one per row of `removed`."""
        left = self.left(removed)
        total = left.sum(axis=-1)
        chance = np.ones(total.shape)
        for taken in range(length):
            gone = 0 if self.is_infinite else taken
            chance *= np.maximum(left[..., value] - gone, 0.0) / (total - gone)
        return chance
