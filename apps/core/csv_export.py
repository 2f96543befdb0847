"""CSV exports that are streamed from the database chunk by chunk; formulas in texts are escaped."""

import csv
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from import_export.resources import ModelResource

from apps.core.actor_names import lines_with_names

CHUNK_ROWS: Final = 1_000
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_stream(request: HttpRequest, *, name: str, resource: ModelResource, rows: Iterable[Any]) -> HttpResponseBase:
    """Return the rows as a CSV file that is streamed while they are read."""
    lines = resource_lines(resource, rows)
    return csv_response(request, name=name, lines=chain([resource.get_export_headers()], lines))


def resource_lines(resource: ModelResource, rows: Iterable[Any]) -> Iterator[list[object]]:
    """Yield the cells of each row."""
    fields = resource.get_export_fields()
    return lines_with_names([resource.export_field(field, row) for field in fields] for row in rows)


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
        yield writer.writerow([formula_escaped(cell) for cell in cells])


def formula_escaped(cell: object) -> object:
    """Return a cell with an apostrophe in front if a spreadsheet would take its text for a formula."""
    if isinstance(cell, str) and cell.startswith(_FORMULA_SIGNS) and not _is_number(cell):
        return "'" + cell
    return cell


def rows_in_order(rows: "QuerySet[Any]", order: Sequence[str]) -> Iterator[Any]:
    """Return every row in a descending order of columns, the last of them unique.

    One query for each chunk instead of an open cursor.
    """
    rows = rows.order_by(*order)
    columns = [name.removeprefix("-") for name in order]
    chunk = list(rows[:CHUNK_ROWS])
    while chunk:
        yield from chunk
        last = [getattr(chunk[-1], name) for name in columns]
        # A comparison of rows, `(a, b) < (x, y)`: an index over the columns finds where to go on.
        before = Q()
        for number, name in enumerate(columns):
            equal = dict(zip(columns[:number], last[:number], strict=True))
            before |= Q(**equal, **{f"{name}__lt": last[number]})
        chunk = list(rows.filter(before, **{f"{columns[0]}__lte": last[0]})[:CHUNK_ROWS])


class _Echo:
    """A file whose `write` returns the text."""

    def write(self, text: str) -> str:
        return text


def _is_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit()
