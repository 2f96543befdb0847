"""The base admin of configurations with a history: its page shows the versions that `apps.core.row_history` reads."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.decorators import action

from apps.core.admin import OfficeAdmin
from apps.core.office_html import admin_name
from apps.core.row_history import HISTORY_ROWS, history_entries
from apps.core.subjects import row_in_words


class HistoryAdmin(OfficeAdmin):
    """The page `history/` of a row whose model has a history. Rows are named with their partner and currency."""

    def row_title(self, row: Any) -> str:
        return row_in_words(row)

    @action(description="History", icon="history")
    def changes(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse(f"admin:{admin_name(self.model)}_history", args=[row.pk]))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        obj = self.object_or_404(request, object_id)
        rows = list(self.history_rows(obj))
        entries = sorted(
            (entry for row in rows for entry in history_entries(row)), key=lambda entry: entry.time, reverse=True
        )
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": obj,
            "title": f"History of {self.row_title(obj)}",
            "entries": entries[:HISTORY_ROWS],
            "count": sum(row.history.count() for row in rows),
            "back": self.page_url(obj),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "office/history.html", context)

    def history_rows(self, obj: Any) -> Iterable[Any]:
        """Return the rows whose histories the page shows."""
        return [obj]
