"""The forms of a report as files: CSV, XLSX and JSON lines. All have the same exact values in the same order."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from apps.core import json
from apps.core.csv_export import csv_lines
from apps.core.exports import FileForm, workbook
from apps.reports.document import NO_ACTIVITY, Cell, Report, RoundCount, cell_text


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
    if isinstance(value, RoundCount):
        return int(value)
    return value if value is None or isinstance(value, (int, Decimal)) else cell_text(value)


def _xlsx(report: Report) -> bytes:
    lines: list[list[object]] = [[column.name for column in report.table.columns]]
    lines += map(_sheet_row, report.table.rows)
    if not report.table.rows:
        lines.append([NO_ACTIVITY])
    sheets: list[tuple[str, Sequence[Sequence[object]]]] = [(report.title, lines)]
    if report.table.totals:
        # On a separate sheet, so that readers of the rows do not add them up with the rest.
        sheets.append(("Totals", [lines[0], *map(_sheet_row, report.table.totals)]))
    return workbook([*sheets, ("About", report.head)])


def _sheet_row(row: Sequence[Cell]) -> list[object]:
    return ["" if value is None else _json_value(value) for value in row]
