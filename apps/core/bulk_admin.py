"""Acts on several rows of a list with one reason: all or none.

The page of an act offers the first rows of the filtered list. Only acts that stop something are possible for several
rows. Acts that let something begin again, move money or need a second person are done row by row.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple, cast

from django import forms
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from apps.core.admin import OfficeAdmin, ReasonForm, sent
from apps.core.count_texts import counted
from apps.core.office_html import headline
from apps.core.query_parameters import checks_query, query_check

ROWS_OFFERED: Final = 100


class BulkAct(NamedTuple):
    """An act on several rows. A row whose `hidden_actions` names the act is not offered."""

    title: str
    button: str
    done: tuple[str, str]
    """The message after the number of rows, of one and of several: what happened to them."""
    permission: str
    call: Callable[[HttpRequest, Any, str], object]
    """Does the act to one row for this reason, in the caller's transaction."""


class BulkForm(ReasonForm):
    """The rows to act on, and the reason."""

    field_order = ("rows", "reason")
    rows = forms.MultipleChoiceField(
        widget=UnfoldAdminCheckboxSelectMultipleWidget, error_messages={"required": "Choose at least one."}
    )

    def __init__(self, data: Any, *, label: str, choices: list[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["rows"].label = label
        cast("forms.MultipleChoiceField", self.fields["rows"]).choices = choices


class BulkAdmin(OfficeAdmin):
    """Adds a page for each of `bulk_acts`, by the name of the act of one row."""

    bulk_acts: ClassVar[Mapping[str, BulkAct]] = {}

    def bulk_label(self, row: Any) -> str:
        """Return the row's name on the page of an act. `page_rows_load` has loaded the rows."""
        return str(row)

    def get_urls(self) -> list[URLPattern]:
        urls = [
            path(
                f"bulk/{name}/",
                self.admin_site.admin_view(self._bulk_page(name)),
                name=f"{self.opts.app_label}_{self.opts.model_name}_bulk_{name}",
            )
            for name in self.bulk_acts
        ]
        return [*urls, *super().get_urls()]

    @checks_query
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        asked = request.GET.copy()
        for name in asked.keys() - self._bulk_parameters(request):
            del asked[name]
        links = [
            (
                act.title,
                f"{reverse(f'admin:{self.opts.app_label}_{self.opts.model_name}_bulk_{name}')}?{asked.urlencode()}",
            )
            for name, act in self.bulk_acts.items()
            if self._may_act(request, act)
        ]
        extra = {"bulk_links": links, **(extra_context or {})}
        return cast("HttpResponse", super().changelist_view(request, extra))

    def _bulk_page(self, name: str) -> Callable[[HttpRequest], HttpResponse]:
        @checks_query
        def page(request: HttpRequest) -> HttpResponse:
            return self._bulk_view(request, name)

        return page

    def _bulk_view(self, request: HttpRequest, name: str) -> HttpResponse:
        act = self.bulk_acts[name]
        if not self._may_act(request, act):
            raise PermissionDenied
        query_check(request.GET, self._bulk_parameters(request))
        listed = list(self.rows_chosen(request)[:ROWS_OFFERED])
        self.page_rows_load(listed)
        rows = {str(row.pk): row for row in listed if name not in self.hidden_actions(row)}

        def call(data: dict[str, Any]) -> str:
            chosen = [rows[key] for key in data["rows"]]
            for row in sorted(chosen, key=lambda row: row.pk):  # the order of locks
                act.call(request, row, data["reason"])
            return counted(len(chosen), *act.done)

        label = headline(self.opts.verbose_name_plural)
        form = BulkForm(sent(request), label=label, choices=[(key, self.bulk_label(row)) for key, row in rows.items()])
        return self.action_form_view(
            request,
            title=act.title,
            form=form,
            call=call,
            done="",
            note=f"Of the first {ROWS_OFFERED} rows of the filtered list, those that it would change.",
            template="office/bulk_form.html",
            back=f"{self.page_url(None)}?{request.GET.urlencode()}".removesuffix("?"),
            extra={"submit": act.button, "danger": True, "rows": rows},
        )

    def _may_act(self, request: HttpRequest, act: BulkAct) -> bool:
        return bool(getattr(self, f"has_{act.permission}_permission")(request))

    def _bulk_parameters(self, request: HttpRequest) -> frozenset[str]:
        return self.filter_parameters(request) | self.view_parameters(request) - {ORDER_VAR, PAGE_VAR}
