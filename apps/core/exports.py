"""The formats of exports and reports: responses of CSV, JSON lines, XLSX and a printed sheet, and the XLSX workbook.

CSV is written by csv_export.py, which also escapes formulas in cells (`formula_escaped`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from io import BytesIO
from typing import Any, Final, Protocol

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from apps.core import json
from apps.core.csv_export import asynchronous, formula_escaped
from apps.core.money import plain

MAX_NUMBER_DIGITS: Final = 15
"""The digits of a number that a spreadsheet keeps exactly; a longer number is written as a text."""
_SHEET_NAME_CHARS: Final = 31
_NOT_IN_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Control characters that XML cannot express; a workbook is XML."""


class FileForm(Enum):
    """A form that is downloaded: its ending."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON_LINES = "jsonl"

    @property
    def words(self) -> str:
        return "JSON lines" if self is FileForm.JSON_LINES else self.value.upper()

    @property
    def content_type(self) -> str:
        """The media type."""
        return _CONTENT_TYPES[self]


_CONTENT_TYPES: Final = {
    FileForm.CSV: "text/csv; charset=utf-8",
    FileForm.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    FileForm.JSON_LINES: "application/jsonl; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class ListExport:
    """An export of a list, as the audit records it."""

    name: str
    form: str
    query: Mapping[str, str]
    rows: int | None = None
    """None for a stream, whose rows are not counted in advance."""


class ExportSite(Protocol):
    """The admin site, which writes exports into the audit (`apps.office.site`)."""

    def export_record(self, request: HttpRequest, export: ListExport) -> None:
        """Record the export."""


def file_headers(name: str, form: FileForm) -> dict[str, str]:
    """Return the headers of a download."""
    return {"Content-Disposition": f'attachment; filename="{name}.{form.value}"', "Cache-Control": "no-store"}


def json_lines_response(
    request: HttpRequest, *, name: str, rows: Iterable[Mapping[str, object]]
) -> StreamingHttpResponse:
    """Return the rows as JSON lines, streamed under WSGI and ASGI."""
    texts = (json.encode(dict(row)).decode() + "\n" for row in rows)
    return StreamingHttpResponse(
        asynchronous(texts) if isinstance(request, ASGIRequest) else texts,
        content_type=FileForm.JSON_LINES.content_type,
        headers=file_headers(name, FileForm.JSON_LINES),
    )


def xlsx_response(*, name: str, sheets: Iterable[tuple[str, Iterable[Sequence[object]]]]) -> HttpResponse:
    """Return a workbook as a download."""
    form = FileForm.XLSX
    return HttpResponse(workbook(sheets), content_type=form.content_type, headers=file_headers(name, form))


def workbook(sheets: Iterable[tuple[str, Iterable[Sequence[object]]]]) -> bytes:
    """Return a workbook of sheets, each a title and lines of cells. All other values are texts."""
    # Every process imports this module, and few make a workbook: this import takes a tenth of a process's start.
    from openpyxl import Workbook  # noqa: PLC0415

    book = Workbook(write_only=True)
    for title, lines in sheets:
        sheet = book.create_sheet(title[:_SHEET_NAME_CHARS])
        for line in lines:
            sheet.append([_sheet_value(cell) for cell in line])
    written = BytesIO()
    book.save(written)
    return written.getvalue()


def number_cells(
    headers: Sequence[str], lines: Iterable[Sequence[object]], numbers: frozenset[str]
) -> Iterator[list[Any]]:
    """Yield the lines with a Decimal, or None for an empty text, in the columns that are numbers."""
    places = [place for place, name in enumerate(headers) if name in numbers]
    for line in lines:
        cells = list(line)
        for place in places:
            cells[place] = Decimal(str(cells[place])) if cells[place] not in ("", None) else None
        yield cells


def _sheet_value(value: object) -> Any:
    if value is None:
        return None
    if isinstance(value, (int, Decimal)):
        text = plain(value) if isinstance(value, Decimal) else str(value)
        return value if len(text.strip("-").replace(".", "").lstrip("0")) <= MAX_NUMBER_DIGITS else text
    return _NOT_IN_XML.sub("", str(formula_escaped(str(value))))
