"""Pages by cursor: a cursor is the end of the page before and not an offset, so new rows do not shift the pages."""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from apps.core.errors import BadRequest

PAGE_ROWS: Final = 50
MAX_PAGE_ROWS: Final = 500

_Row = TypeVar("_Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[_Row]):
    """Rows, newest first, and the cursor of the next page; None after the last page."""

    rows: list[_Row]
    next_cursor: str | None


def page_of(rows: QuerySet[_Row], *, time_field: str, cursor: str | None, limit: int) -> Page[_Row]:
    """Return the page after `cursor` by falling (`time_field`, id). The ids are UUIDs. Raises BadRequest."""
    if cursor:
        at, pk = _cursor_read(cursor)
        before = Q(**{f"{time_field}__lt": at}) | Q(**{time_field: at, "pk__lt": pk})
        # The first condition lets PostgreSQL start at the right place of the index.
        rows = rows.filter(**{f"{time_field}__lte": at}).filter(before)
    found = list(rows.order_by(f"-{time_field}", "-pk")[: limit + 1])
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], _cursor_write(getattr(last, time_field), last.pk))


def _cursor_write(at: datetime, pk: UUID) -> str:
    return base64.urlsafe_b64encode(f"{at.isoformat()} {pk}".encode("ascii")).decode("ascii")


def _cursor_read(cursor: str) -> tuple[datetime, UUID]:
    try:
        at, pk = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").split(" ")
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise ValueError(at)
        return moment, UUID(pk)
    except (ValueError, binascii.Error):
        raise BadRequest("cursor: take it from next_cursor of the page before", field="cursor") from None
