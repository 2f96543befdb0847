"""The history of a configuration: django-simple-history's rows as one readable page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from apps.core.admin import OfficeAdmin
from apps.core.money import plain

HISTORY_ROWS = 200
_KINDS = {"+": "made", "~": "changed", "-": "removed"}
_NOT_SHOWN = frozenset({"id", "ctime", "mtime", "version", "fingerprint", "paytable"})

Change = tuple[str, object, object]
"""Field, value before, value after; None if there is none."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One saved version and its changes."""

    time: datetime
    who: str
    subject: str
    kind: str
    changes: tuple[Change, ...]


class HistoryAdmin(OfficeAdmin):
    """The page `history/` of a row whose model has a history."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        obj = self.object_or_404(request, object_id)
        entries = sorted(
            (entry for row in self.history_rows(obj) for entry in history_entries(row)),
            key=lambda entry: entry.time,
            reverse=True,
        )
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": obj,
            "title": f"History of {obj}",
            "entries": entries[:HISTORY_ROWS],
            "back": self.page_url(obj),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "office/history.html", context)

    def history_rows(self, obj: Any) -> Iterable[Model]:
        """Return the rows whose histories the page shows."""
        return [obj]


def history_entries(row: Any) -> Iterator[HistoryEntry]:
    """Return the row's saved versions, newest first, each with its differences from the one before."""
    versions = list(row.history.select_related("history_user").order_by("-history_date", "-history_id")[:HISTORY_ROWS])
    for version, before in zip(versions, [*versions[1:], None], strict=True):
        yield HistoryEntry(
            time=version.history_date,
            who=_who(version),
            subject=str(row),
            kind=_KINDS[version.history_type],
            changes=_changes(version, before),
        )


def _who(version: Any) -> str:
    if version.history_user is not None:
        return str(version.history_user)
    return version.history_change_reason or "the platform"


def _changes(version: Any, before: Any) -> tuple[Change, ...]:
    fields = [field for field in version.tracked_fields if field.name not in _NOT_SHOWN]
    return tuple(change for field in fields for change in _field_changes(field, version, before))


def _field_changes(field: Any, version: Any, before: Any) -> Iterator[Change]:
    value = getattr(version, field.attname)
    former = None if before is None else getattr(before, field.attname)
    if isinstance(value, dict):
        for key in sorted({*value, *(former or {})}):
            if (former or {}).get(key) != value.get(key):
                yield f"{_name(field)}, {key}", (former or {}).get(key), value.get(key)
    elif value != former:
        yield _name(field), _text(former, field), _text(value, field)


def _name(field: Any) -> str:
    return str(field.verbose_name)


def _text(value: Any, field: Any) -> object:
    shown = dict(field.flatchoices).get(value, value) if field.choices else value
    return plain(shown) if isinstance(shown, Decimal) else shown
