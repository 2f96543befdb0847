"""A report as data, from which all its forms are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Final, TypeAlias
from uuid import UUID

from apps.core.money import grouped, plain

NO_ACTIVITY: Final = "No activity"


@dataclass(frozen=True, slots=True)
class WireName:
    """A name of the wire, which files have unchanged, with its words, which pages show."""

    name: str
    words: str
    rounds: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The filters of the list of the rounds that the row counts; pages link to it, if there are any."""


class RoundCount(int):
    """A number of rounds. Pages link to the list of exactly these, by its filters."""

    rounds: Mapping[str, str]

    def __new__(cls, number: int, rounds: Mapping[str, str]) -> "RoundCount":
        count = super().__new__(cls, number)
        count.rounds = rounds
        return count


Cell: TypeAlias = str | int | Decimal | date | datetime | UUID | WireName | None
_WORDS: Final = {"ggr": "GGR", "rtp": "RTP", "pct": "%", "id": "ID"}
"""The words of columns' names that pages write otherwise."""


class CellKind(Enum):
    """The ways in which a page shows a column."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    """In units of the currency that the row's column `currency` names."""
    ROUND = "round"
    REPLAY = "replay"
    """The path of a round's replay."""
    EVENT = "event"
    PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in files, and the kind of its content."""

    name: str
    kind: CellKind = CellKind.TEXT

    @property
    def title(self) -> str:
        return " ".join(_WORDS.get(word, word) for word in self.name.split("_"))

    @property
    def is_number(self) -> bool:
        return self.kind in (CellKind.NUMBER, CellKind.AMOUNT)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a report. Amounts are exact, in units of the row's currency."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    totals: Sequence[Sequence[Cell]] = ()
    left_out: int = 0
    """The number of further rows, if only the first ones were asked for."""

    @property
    def row_count(self) -> int:
        return len(self.rows) + self.left_out


@dataclass(frozen=True, slots=True)
class Report:
    """A report with its head."""

    name: str
    title: str
    note: str
    head: Sequence[tuple[str, str]]
    table: Table = field(default_factory=lambda: Table((), ()))

    @property
    def head_in_words(self) -> list[tuple[str, str]]:
        """The head as pages show it; files have the names unchanged."""
        return [(name.replace("_", " "), text) for name, text in self.head]


def numbers(*names: str) -> tuple[Column, ...]:
    """Return columns of numbers that are no amounts: counts and shares."""
    return tuple(Column(name, CellKind.NUMBER) for name in names)


def amounts(*names: str) -> tuple[Column, ...]:
    """Return columns of amounts."""
    return tuple(Column(name, CellKind.AMOUNT) for name in names)


def texts(*names: str) -> tuple[Column, ...]:
    """Return columns of texts."""
    return tuple(Column(name) for name in names)


def cell_text(value: Cell) -> str:
    """Return the exact text of a cell, for files."""
    match value:
        case None:
            return ""
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
        case Decimal():
            return plain(value)
        case WireName():
            return value.name
        case _:
            return str(value)


def cell_shown(value: Cell, *, decimals: int = 0) -> str:
    """Return the text of a cell for people: numbers with separators, and with this many decimals at least."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case Decimal():
            if value == round(value, decimals):
                return f"{value:,.{decimals}f}" if value else f"{0:.{decimals}f}"  # a zero has no sign
            return f"-{grouped(-value)}" if value < 0 else grouped(value)
        case WireName():
            return value.words
        case _:
            return cell_text(value) or "-"
