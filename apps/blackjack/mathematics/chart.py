"""Basic strategy: the decision for a hand's total and the dealer's upcard, and its text form. Pure.

A cell is a sequence of letters, best first: the first one that the rules allow at the moment is played. `DHS`
on hard 11 is "double, else hit". H hit, S stand, D double, R surrender, P split.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from apps.blackjack.mathematics.hands import ACE, TEN, VALUES

HARD: Final = range(4, 21)
SOFT: Final = range(12, 21)
UPCARDS: Final = (*range(1, VALUES), ACE)
"""The usual order of columns: two to ten, then the ace."""

Row = tuple[str, ...]
"""A cell for each upcard, in the column order of the hand table: the ace first."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A total-dependent strategy. Totals of 21 stand automatically and have no row."""

    hard: Mapping[int, Row]
    soft: Mapping[int, Row]
    pairs: Mapping[int, Row]
    """By card value minus one: the letters before the cell of the pair's total, which are `P`, `RP`, or nothing."""
    insure: bool = False
    """Whether to take insurance, which is never worth it with 3:2 and a fresh shoe."""

    def order(self, values: Sequence[int], upcard: int) -> str:
        """Return the cell for a hand, given by card values 1 to 10 (the ace 1), against an upcard value.

        The letters of a pair come first, so a pair that cannot be split any more is played by its total.
        """
        hard = sum(values)
        soft = hard <= 11 and 1 in values
        row = self.soft[hard + 10] if soft else self.hard[hard]
        order = row[upcard - 1]
        if len(values) == 2 and values[0] == values[1]:
            before = self.pairs[values[0] - 1][upcard - 1]
            order = before + "".join(letter for letter in order if letter not in before)
        return order

    def to_json(self) -> dict[str, object]:
        """Return the chart as JSON: a row is its ten cells separated by spaces, `-` for an empty one."""
        return {
            "hard": {str(total): _packed(row) for total, row in self.hard.items()},
            "soft": {str(total): _packed(row) for total, row in self.soft.items()},
            "pairs": {str(value): _packed(row) for value, row in self.pairs.items()},
            "insure": self.insure,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Self:
        """Return the chart that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
        return cls(_rows(data["hard"]), _rows(data["soft"]), _rows(data["pairs"]), data["insure"] is True)


def chart_text(chart: Chart) -> str:
    """Return the chart as lines of plain text with a legend."""
    lines = [_line("", [_name(upcard) for upcard in UPCARDS])]
    for title, rows in chart_rows(chart):
        lines += ["", title]
        lines += [_line(label, cells) for label, cells in rows]
    lines += ["", *LEGEND]
    return "\n".join(lines)


def chart_rows(chart: Chart) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return the printed chart: for each part its title and rows, where a row is a label and ten short cells."""
    pairs: list[tuple[str, list[str]]] = []
    for value in (ACE, *range(TEN, ACE, -1)):
        own = _of_pair(chart, value)
        pairs.append((f"{_name(value)},{_name(value)}", _cells(own)))
    return [
        ("Hard totals", [(str(total), _cells(_plain(chart.hard[total]))) for total in reversed(HARD)]),
        ("Soft totals", [(f"A,{total - 11}", _cells(_plain(chart.soft[total]))) for total in reversed(SOFT[1:])]),
        ("Pairs", pairs),
    ]


LEGEND: Final = (
    "H hit   S stand   D double   P split   R surrender",
    "A small letter is the decision if the first one is not allowed: Dh double, else hit.",
)


def short_cell(order: str) -> str:
    """Return the printed form of a cell: the first letter, and a small one for its substitute: `Dh`, `Rs`, `P`."""
    first = order[0]
    return first + order[1].lower() if first in "DR" else first


def _cells(cell: Callable[[int], str]) -> list[str]:
    return [short_cell(cell(upcard)) for upcard in UPCARDS]


def _plain(row: Row) -> Callable[[int], str]:
    return row.__getitem__


def _of_pair(chart: Chart, value: int) -> Callable[[int], str]:
    return lambda upcard: chart.order((value + 1, value + 1), upcard + 1)


def _name(value: int) -> str:
    return "A" if value == ACE else str(value + 1)


def _line(label: str, cells: Sequence[str]) -> str:
    return (f"{label:>6}  " + "".join(f"{cell:<4}" for cell in cells)).rstrip()


def _packed(row: Row) -> str:
    return " ".join(cell or "-" for cell in row)


def _rows(data: object) -> dict[int, Row]:
    if not isinstance(data, dict):
        raise TypeError("the rows of a chart are an object")
    rows = {int(key): tuple("" if cell == "-" else cell for cell in str(text).split(" ")) for key, text in data.items()}
    if any(len(row) != VALUES for row in rows.values()):
        raise ValueError("a row of a chart has ten cells")
    return rows
