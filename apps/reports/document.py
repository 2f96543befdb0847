"""A report as data, from which all its forms are made."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Final, TypeAlias
from uuid import UUID

from apps.core.money import grouped, plain

NO_ACTIVITY: Final = "No activity"

Cell: TypeAlias = str | int | Decimal | date | datetime | UUID | None


class CellKind(Enum):
    """The ways in which a page shows a column."""

    TEXT = "text"
    NUMBER = "number"
    ROUND = "round"
    PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in files, and the kind of its content."""

    name: str
    kind: CellKind = CellKind.TEXT

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")


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
    """Return columns of numbers."""
    return tuple(Column(name, CellKind.NUMBER) for name in names)


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
        case _:
            return str(value)


def cell_shown(value: Cell) -> str:
    """Return the text of a cell for people: numbers with separators."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case Decimal():
            return f"-{grouped(-value)}" if value < 0 else grouped(value)
        case _:
            return cell_text(value) or "-"
