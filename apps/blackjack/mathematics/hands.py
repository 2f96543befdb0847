"""A table of every hand that is not bust; a hand is the number of its cards of each of ten values. Pure.

Column `c` stands for the value `c + 1`: 0 is the ace, 9 all cards that count ten. Rows and columns are the same for
every rule set, so the table is built once.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

VALUES: Final = 10
ACE: Final = 0
TEN: Final = 9

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HandTable:
    """All hands of 1 to 21 cards with a hard total of at most 21, ordered by hard total, the highest first."""

    counts: Ints
    """(hands, 10): the number of cards of each value."""
    size: Ints
    hard: Ints
    """The total with every ace as 1."""
    value: Ints
    """The total with an ace as 11 unless that busts."""
    soft: Bools
    child: Ints
    """(hands, 10): the row of the hand with one more card; -1 if it busts."""
    row_of: dict[tuple[int, ...], int]

    def row(self, *values: int) -> int:
        """Return the row of the hand with these columns, in any order: `row(ACE, TEN)`."""
        counts = [0] * VALUES
        for value in values:
            counts[value] += 1
        return self.row_of[tuple(counts)]


@cache
def hand_table() -> HandTable:
    """Return the one table of hands."""
    hands = sorted(_compositions(21), key=lambda counts: (-_hard(counts), counts))
    row_of = {counts: row for row, counts in enumerate(hands)}
    counts = np.array(hands, dtype=np.int64)
    hard = counts @ np.arange(1, VALUES + 1)
    soft = (counts[:, ACE] > 0) & (hard <= 11)
    child = np.full((len(hands), VALUES), -1, dtype=np.int64)
    for row, hand in enumerate(hands):
        for value in range(VALUES):
            grown = (*hand[:value], hand[value] + 1, *hand[value + 1 :])
            child[row, value] = row_of.get(grown, -1)
    return HandTable(
        counts=counts,
        size=counts.sum(axis=1),
        hard=hard,
        value=np.where(soft, hard + 10, hard),
        soft=soft,
        child=child,
        row_of=row_of,
    )


def _hard(counts: tuple[int, ...]) -> int:
    return sum((value + 1) * count for value, count in enumerate(counts))


def _compositions(limit: int) -> list[tuple[int, ...]]:
    """Return every non-empty tuple of ten counts whose hard total is at most `limit`."""
    found: list[tuple[int, ...]] = [()]
    for value in range(VALUES):
        found = [(*counts, more) for counts in found for more in range((limit - _hard(counts)) // (value + 1) + 1)]
    return [counts for counts in found if any(counts)]
