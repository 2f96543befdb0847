"""The forms of a report as files: CSV, XLSX and JSON lines. All have the same exact values in the same order."""

from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from io import BytesIO
from typing import Any, Final

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from apps.core import json
from apps.core.listing import csv_lines, harmless
from apps.reports.document import NO_ACTIVITY, Cell, Report, cell_text

MOST_DIGITS: Final = 15
"""The most digits that a spreadsheet keeps exactly in a number; a longer number is written as a text."""
_SHEET_NAME_CHARS: Final = 31


class FileForm(Enum):
    """A file format of a report; the value is the file's ending."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON_LINES = "jsonl"

    @property
    def content_type(self) -> str:
        """The media type."""
        return _CONTENT_TYPES[self]


_CONTENT_TYPES: Final = {
    FileForm.CSV: "text/csv; charset=utf-8",
    FileForm.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    FileForm.JSON_LINES: "application/jsonl; charset=utf-8",
}


def report_file(report: Report, form: FileForm) -> bytes:
    """Return the report as a file."""
    match form:
        case FileForm.CSV:
            return "".join(csv_lines(_lines(report))).encode()
        case FileForm.XLSX:
            return _xlsx(report)
        case FileForm.JSON_LINES:
            return b"".join(json.encode(line) + b"\n" for line in _objects(report))


def _lines(report: Report) -> Iterator[list[str]]:
    yield [column.name for column in report.table.columns]
    for row in report.table.rows:
        yield [cell_text(value) for value in row]
    if not report.table.rows:
        yield [NO_ACTIVITY]


def _objects(report: Report) -> Iterator[dict[str, object]]:
    head: dict[str, object] = {"report": report.name, **dict(report.head)}
    yield head if report.table.rows else head | {"note": NO_ACTIVITY}
    names = [column.name for column in report.table.columns]
    for row in report.table.rows:
        yield {name: _json_value(value) for name, value in zip(names, row, strict=True)}


def _json_value(value: Cell) -> object:
    return value if value is None or isinstance(value, (int, Decimal)) else cell_text(value)


def _xlsx(report: Report) -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(report.title[:_SHEET_NAME_CHARS])
    sheet.append([column.name for column in report.table.columns])
    for row in report.table.rows:
        sheet.append([_sheet_value(value) for value in row])
    if not report.table.rows:
        sheet.append([NO_ACTIVITY])
    about = book.create_sheet("About")
    for name, text in report.head:
        about.append([name, _sheet_value(text)])
    written = BytesIO()
    book.save(written)
    return written.getvalue()


def _sheet_value(value: Cell) -> Any:
    if isinstance(value, (int, Decimal)):
        text = cell_text(value)
        return value if len(text.strip("-").replace(".", "").lstrip("0")) <= MOST_DIGITS else text
    # A workbook is XML, which has no form for control characters.
    return ILLEGAL_CHARACTERS_RE.sub("", str(harmless(cell_text(value))))
