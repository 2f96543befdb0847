"""CSV exports of long tables."""

import csv
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import chain
from typing import Any, Final
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from import_export.resources import ModelResource

CHUNK_ROWS: Final = 1_000
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_stream(request: HttpRequest, *, name: str, resource: ModelResource, rows: "QuerySet[Any]") -> HttpResponseBase:
    """Return `rows` as a CSV file that is streamed from the database, newest row first."""
    fields = resource.get_export_fields()
    lines = (_cells(resource, row, fields) for row in rows_by_key(rows))
    return csv_response(request, name=name, lines=chain([resource.get_export_headers()], lines))


def csv_response(request: HttpRequest, *, name: str, lines: Iterable[Iterable[object]]) -> HttpResponseBase:
    """Return lines of cells as a CSV file that is streamed under WSGI and ASGI."""
    texts = csv_lines(lines)
    response = StreamingHttpResponse(
        asynchronous(texts) if isinstance(request, ASGIRequest) else texts, content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response["Cache-Control"] = "no-store"
    return response


async def asynchronous(texts: Iterator[str]) -> AsyncIterator[str]:
    """Return the same texts as an asynchronous iterator. Under ASGI Django would buffer a plain one completely."""
    following = sync_to_async(lambda: next(texts, None))
    while (text := await following()) is not None:
        yield text


def csv_lines(lines: Iterable[Iterable[object]]) -> Iterator[str]:
    """Return each line as CSV text. Text that a spreadsheet would interpret as a formula gets an apostrophe in
    front."""
    writer = csv.writer(_Echo())
    for cells in lines:
        yield writer.writerow([_harmless(cell) for cell in cells])


def rows_by_key(rows: "QuerySet[Any]") -> Iterator[Any]:
    """Return every row by descending primary key, with one query for each chunk instead of an open cursor."""
    rows = rows.order_by("-pk")
    chunk = list(rows[:CHUNK_ROWS])
    while chunk:
        yield from chunk
        chunk = list(rows.filter(pk__lt=chunk[-1].pk)[:CHUNK_ROWS])


def is_uuid(text: str) -> bool:
    """Return whether a search term is a round's id."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


class _Echo:
    """A file whose `write` returns the text."""

    def write(self, text: str) -> str:
        return text


def _cells(resource: ModelResource, row: Any, fields: list[Any]) -> list[object]:
    return [resource.export_field(field, row) for field in fields]


def _harmless(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(_FORMULA_SIGNS) and not _is_number(cell):
        return "'" + cell
    return cell


def _is_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit()
