"""The five road maps of a shoe: bead plate, big road, big eye boy, small road, cockroach pig. Pure.

A road is a grid six rows deep, filled from the left; columns and rows are counted from 0. The big road has a column for
each streak of a side; a streak that finds no free cell below turns to the right (the dragon tail). The three derived
roads compare the lengths of the big road's streaks, wherever their cells lie.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import Final

import msgspec

from apps.baccarat.engine import Winner

ROWS: Final = 6


class RoadResult(msgspec.Struct, frozen=True):
    """The result of a round, as the roads show it."""

    winner: Winner
    player_pair: bool = False
    banker_pair: bool = False


class BeadCell(msgspec.Struct, frozen=True, rename="camel"):
    """A round on the bead plate."""

    column: int
    row: int
    winner: Winner
    player_pair: bool
    banker_pair: bool


class BigRoadCell(msgspec.Struct, frozen=True, rename="camel"):
    """A round that a side has won, with the ties that came after it."""

    column: int
    row: int
    winner: Winner
    """A tie only until a side has won."""
    ties: int
    player_pair: bool
    banker_pair: bool


class RoadColour(Enum):
    """The colour of a cell in a derived road. It does not stand for a side."""

    RED = "red"
    """The big road repeats itself."""
    BLUE = "blue"


class DerivedCell(msgspec.Struct, frozen=True):
    """A mark of a derived road."""

    column: int
    row: int
    colour: RoadColour


class Roads(msgspec.Struct, frozen=True, rename="camel"):
    """The road maps of a shoe."""

    bead_plate: Sequence[BeadCell]
    big_road: Sequence[BigRoadCell]
    big_eye_boy: Sequence[DerivedCell]
    small_road: Sequence[DerivedCell]
    cockroach_pig: Sequence[DerivedCell]


def roads(results: Sequence[RoadResult]) -> Roads:
    """Return the road maps of the rounds of a shoe, the oldest first."""
    wins = [result for result in results if result.winner is not Winner.TIE]
    streaks = [len(list(streak)) for _, streak in groupby(wins, key=lambda result: result.winner)]
    return Roads(
        bead_plate=[
            BeadCell(index // ROWS, index % ROWS, result.winner, result.player_pair, result.banker_pair)
            for index, result in enumerate(results)
        ],
        big_road=_big_road(results, streaks),
        big_eye_boy=_derived_road(streaks, 1),
        small_road=_derived_road(streaks, 2),
        cockroach_pig=_derived_road(streaks, 3),
    )


def _big_road(results: Sequence[RoadResult], streaks: Sequence[int]) -> list[BigRoadCell]:
    places = _placed(streaks)
    cells: list[BigRoadCell] = []
    ties_before = 0
    for result in results:
        if result.winner is not Winner.TIE:
            column, row = next(places)
            cell = BigRoadCell(column, row, result.winner, ties_before, result.player_pair, result.banker_pair)
            cells.append(cell)
            ties_before = 0
        elif cells:
            cells[-1] = msgspec.structs.replace(cells[-1], ties=cells[-1].ties + 1)
        else:
            # Ties before the first win are marked on the cell that it will get.
            ties_before += 1
    if ties_before:
        cells.append(BigRoadCell(0, 0, Winner.TIE, ties_before, player_pair=False, banker_pair=False))
    return cells


def _derived_road(streaks: Sequence[int], distance: int) -> list[DerivedCell]:
    """Return the road that compares each entry of the big road with the streak `distance` before its own.

    It starts with the second entry of streak `distance` (counted from 0), or the first of the one after it.
    """
    colours = [
        _colour(streaks, streak, entry, distance)
        for streak in range(distance, len(streaks))
        for entry in range(streaks[streak])
        if entry > 0 or streak > distance
    ]
    runs = [len(list(run)) for _, run in groupby(colours)]
    return [DerivedCell(column, row, colour) for (column, row), colour in zip(_placed(runs), colours, strict=True)]


def _colour(streaks: Sequence[int], streak: int, entry: int, distance: int) -> RoadColour:
    if entry == 0:
        # A new streak: were the one before it and the one `distance` before that equally long?
        repeats = streaks[streak - 1] == streaks[streak - 1 - distance]
    else:
        # The streak continues: it breaks the pattern if the earlier one ended here.
        repeats = streaks[streak - distance] != entry
    return RoadColour.RED if repeats else RoadColour.BLUE


def _placed(runs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield column and row of each entry of runs: each begins a column, goes down, and turns right where it is stopped.

    A run that finds the top of its column taken by another's tail begins in the first column that is free there.
    """
    taken: set[tuple[int, int]] = set()
    start = 0
    for run in runs:
        while (start, 0) in taken:
            start += 1
        column, row = start, 0
        for entry in range(run):
            if entry:
                is_tail = column > start
                if is_tail or row + 1 == ROWS or (column, row + 1) in taken:
                    column += 1
                else:
                    row += 1
            taken.add((column, row))
            yield column, row
        start += 1
