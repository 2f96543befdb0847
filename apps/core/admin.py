"""Base classes of the back office's admins: rights by role, tenancy, and pages that call one service.

Rows are never edited in a model form. A list and a read-only page show them. Every change is an action with its own
form (`OfficeAdmin.action_form_view`), which calls one service and shows its refusal beside the invalid field.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar, Final, NoReturn, cast
from uuid import uuid4

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from import_export.resources import ModelResource
from unfold.dataclasses import UnfoldAction
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.core.csv_export import csv_stream, resource_lines, rows_in_order
from apps.core.errors import BadRequest, DomainError, FactorNeeded
from apps.core.export_limit import one_export_at_a_time
from apps.core.exports import (
    ExportSite,
    FileForm,
    ListExport,
    json_lines_response,
    number_cells,
    xlsx_response,
)
from apps.core.filters import PartnerKeyFilter
from apps.core.form_acts import FORM_TOKEN, FORM_VERSION, FormAct, FormSite, form_token
from apps.core.list_admin import StrictListAdmin
from apps.core.models import Currency
from apps.core.money import amount_text, plain
from apps.core.office_html import admin_name, headline, in_words, time_html
from apps.core.query_parameters import checks_query, query_check
from apps.core.staff_scope import (
    OFFICE_ROLES,
    OPERATOR,
    PARTNER_STAFF,
    Viewer,
    in_scope,
    may_enter,
    sees_all_partners,
)
from apps.core.subjects import subject_of

MAX_LISTED_ROWS = 10_000
PRINT_FORM: Final = "print"
MAX_ROWS_IN_MEMORY: Final = {FileForm.XLSX.value: 20_000, PRINT_FORM: 2_000}
"""The rows of an export that is made in memory."""


class BoundedPaginator(Paginator):
    """Counts at most MAX_LISTED_ROWS in the list's own order, so that an index is enough for any number of rows.

    Filters and exports reach older rows. Only the order's first column is read: the others change no count, and are
    not in the index.
    """

    reads_pages_alone = False
    """Whether a list of a single page is read by its page too. Django reads it by the list's own query."""

    @cached_property
    def count(self) -> int:
        rows = cast("QuerySet[Model]", self.object_list)
        first = [term for term in rows.query.order_by[:1] if isinstance(term, str)]
        if first:
            return rows.order_by(*first).values(first[0].removeprefix("-"))[:MAX_LISTED_ROWS].count()
        return rows[:MAX_LISTED_ROWS].count()

    @property
    def bound(self) -> int | None:
        """The number of listed rows if there may be more, else None."""
        return MAX_LISTED_ROWS if self.count == MAX_LISTED_ROWS else None


class OfficeAdmin(StrictListAdmin):
    """Read-only lists and pages within the viewer's scope. Another partner's id is answered like an unknown id."""

    partner_path: ClassVar[str | None] = None
    """The lookup from a row to its partner's id; None if the rows belong to no partner."""
    readers: ClassVar[frozenset[str]] = OFFICE_ROLES
    person_columns: ClassVar[frozenset[str]] = frozenset()
    """Columns with names of people (`apps.core.actor_names`). A viewer who may not know all names cannot search by
    them."""
    empty_note: ClassVar[str] = ""
    """A sentence on an empty list: how its rows come about."""
    all_partners_only: ClassVar[bool] = False
    """Whether only viewers of all partners may see these rows, which belong to no single partner."""
    add_words: ClassVar[str] = ""
    """What the link to `add/` does, if it is not adding a row; it begins with a verb."""
    subject_name: ClassVar["staticmethod[[Any], str] | None"] = None
    """Returns the name that people know a row by, which pages show in place of its key when it is the subject of an
    act. None: its key is its name."""
    subject_related: ClassVar[tuple[str, ...]] = ()
    """Relations that `subject_name` reads."""
    waiting_acts: ClassVar[frozenset[str]] = frozenset()
    """Acts by two persons that no row's page can show while they wait, such as one that makes a row: the list does."""
    list_per_page = 25
    list_max_show_all = 0
    list_filter_submit = True
    list_fullwidth = True
    list_disable_select_all = True
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # the counts would read every row for each filter
    paginator = BoundedPaginator
    # Named, since Django looks for templates of the table and of its app first, and keeps the errors of their absence.
    change_list_template = "admin/change_list.html"
    change_form_template = "admin/change_form.html"
    object_history_template = "admin/object_history.html"
    list_before_template = "office/list_start.html"
    list_after_template = "office/list_end.html"
    change_form_outer_before_template = "office/row_start.html"
    actions = None

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        viewer = viewer_of(request)
        if self.all_partners_only and not (may_enter(viewer) and sees_all_partners(viewer)):
            return False
        return may_enter(viewer) and viewer.role in self.readers

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the viewer is an operator."""
        return viewer_of(request).role == OPERATOR and may_enter(viewer_of(request))

    def has_configure_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the viewer may change a partner's own settings."""
        return viewer_of(request).role in (OPERATOR, PARTNER_STAFF) and may_enter(viewer_of(request))

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        rows = super().get_queryset(request)
        if self.partner_path is None:
            return cast("QuerySet[Any]", rows)
        return in_scope(rows, viewer=viewer_of(request), partner_path=self.partner_path)

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Omit the filter by partner for a viewer of one partner, since it would name the others."""
        filters = list(super().get_list_filter(request))
        if sees_all_partners(viewer_of(request)):
            return filters
        return [
            entry
            for entry in filters
            if entry is not PartnerKeyFilter and not (isinstance(entry, tuple) and entry[0].endswith("partner"))
        ]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        fields = list(super().get_search_fields(request))
        if sees_all_partners(viewer_of(request)):
            return fields
        return [name for name in fields if name not in self.person_columns]

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> tuple["QuerySet[Any]", bool]:
        """Search by `search_lookup`, which uses an index; without one, search like Django."""
        term = search_term.strip()
        lookup = self.search_lookup(term) if term else None
        if lookup is None:
            found, may_repeat = super().get_search_results(request, queryset, term)
            return found, may_repeat
        return queryset.filter(**lookup), False

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        """Return the filter that a search term stands for; None lets Django search `search_fields`."""
        return None

    @property
    def add_label(self) -> str:
        """The words of the link to `add/`."""
        return self.add_words or f"Add {self.opts.verbose_name}"

    @display(description="ID")
    def whole_id(self, row: Any) -> SafeString:
        """The key of a row that has no number."""
        return format_html('<code class="copied-id">{}</code>', row.pk)

    @display(description="created (UTC)", ordering="ctime")
    def created(self, row: Any) -> SafeString:
        return time_html(row.ctime)

    @display(description="changed (UTC)", ordering="mtime")
    def changed(self, row: Any) -> SafeString:
        return time_html(row.mtime)

    def row_title(self, row: Any) -> str:
        """Return the name of a row at the head of its pages and in their titles."""
        return str(row)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, obj: Any = None, **kwargs: Any
    ) -> HttpResponse:
        if obj is not None:
            context["subtitle"] = self.row_title(obj)
        return cast("HttpResponse", super().render_change_form(request, context, *args, obj=obj, **kwargs))

    def hidden_actions(self, row: Any) -> Collection[str]:
        """Return the names of actions that would not change this row. Its page has no buttons for them."""
        return ()

    def no_form_note(self, request: HttpRequest, row: Any, name: str) -> str:
        """Return why the action's page has no form, if the action can no longer change this row, else an empty text."""
        if name not in self.hidden_actions(row):
            return ""
        return 'Nothing is left to do here: it was done already, or it is too late. "Back" shows what holds now.'

    def waiting_subjects(self, row: Any) -> list[str]:
        """Return the subjects of acts that the row's page shows while they wait for a second person."""
        return [subject_of(row)]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        row = self.get_object(request, unquote(str(object_id))) if actions else None
        if row is None:
            return actions
        hidden = {f"{self.opts.app_label}_{self.opts.model_name}_{name}" for name in self.hidden_actions(row)}
        return [action for action in actions if action.action_name not in hidden]

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row by its key, with what `page_rows_load` adds. A key with a NUL character is no row, since
        PostgreSQL cannot store it."""
        row = None if "\0" in object_id else super().get_object(request, object_id, from_field)
        if row is not None:
            self.page_rows_load([row])
        return row

    def object_or_404(self, request: HttpRequest, object_id: str) -> Any:
        """Return the row, or answer 404 like for any id outside the viewer's scope."""
        found = self.get_object(request, unquote(object_id))
        if found is None or not self.has_view_permission(request, found):
            raise Http404
        return found

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row. Django's form must not save: `_saveasnew` would create a row without a service and an audit
        entry."""
        if request.method == "POST":
            raise PermissionDenied
        return cast("HttpResponse", super().changeform_view(request, object_id, form_url, extra_context))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Answer 404 for rows outside the viewer's scope. Django's 403 would reveal that a row exists."""
        self.object_or_404(request, object_id)
        return cast("HttpResponse", super().history_view(request, object_id, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> NoReturn:
        """Refuse, since nothing can be deleted here. A row outside the scope is 404 here too."""
        self.object_or_404(request, object_id)
        raise PermissionDenied

    def action_form_view(
        self,
        request: HttpRequest,
        *,
        title: str,
        form: forms.Form,
        call: Callable[[dict[str, Any]], object],
        done: str,
        obj: Model | None = None,
        note: str = "",
        version: int | None = None,
        commits_itself: bool = False,
        template: str = "office/action_form.html",
        back: str = "",
        extra: Mapping[str, Any] | None = None,
    ) -> HttpResponse:
        """Show `form`; if it was sent and is valid, `call` one service with its data and go back.

        The form is single-use: a second submission gets the first answer and changes nothing. With
        `commits_itself` the act cannot be part of the transaction that stores the answer. `version` is the version that
        the page shows; it comes back with the form (`version_sent`). A DomainError becomes the form's error, beside its
        field if it names one. `done` is the message of success; an answer of `call` that is a text replaces it. A POST
        with `preview` only shows the page again. `back` replaces the row's page, or the list. If the act can no longer
        be done, the page says so in place of the form.
        """
        back = back or self.page_url(obj)
        needs_factor = False
        if request.method == "POST" and "preview" not in request.POST:
            act = FormAct(lambda: call(form.cleaned_data), back, done, commits_itself)
            is_valid = form.is_valid()
            try:
                form_token(request)
                site = cast("FormSite", self.admin_site)
                if is_valid:
                    return site.form_answer(request, act)
                if first := site.form_answered(request):
                    return first
            except DomainError as refusal:
                field = refusal.field if refusal.field in form.fields else None
                form.add_error(field, refusal_in_words(form, refusal))
                needs_factor = isinstance(refusal, FactorNeeded)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": obj,
            "title": title,
            "form": form,
            "note": note,
            "back": back,
            "form_token": request.POST.get(FORM_TOKEN) or uuid4().hex,
            "version": request.POST.get(FORM_VERSION, version),
            "needs_factor": needs_factor,
            "no_form": self._no_form(request, obj),
            **(extra or {}),
        }
        return TemplateResponse(request, template, context)

    def _no_form(self, request: HttpRequest, obj: Model | None) -> str:
        match, prefix = request.resolver_match, f"{admin_name(self.model)}_"
        if not isinstance(obj, self.model) or match is None or not (match.url_name or "").startswith(prefix):
            return ""
        row = self.get_object(request, str(obj.pk))  # read again, since the act may just have been refused
        return self.no_form_note(request, row, str(match.url_name).removeprefix(prefix))

    def add_permission_require(self, request: HttpRequest) -> None:
        """Refuse a viewer who may not add rows here."""
        if not self.has_add_permission(request):
            raise PermissionDenied

    def page_url(self, obj: Model | None) -> str:
        """Return the URL of the row's page, or of the list without a row."""
        base = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}"
        if obj is None:
            return reverse(f"{base}_changelist")
        return reverse(f"{base}_change", args=[quote(obj.pk)])

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> NoReturn:
        # Django would redirect (302), but another partner's id must be answered like an unknown id.
        raise Http404


class AppendOnlyAdmin(OfficeAdmin):
    """Read and export only. No role can add, edit or delete rows here; triggers refuse it too."""

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_configure_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ExportAdmin(OfficeAdmin):
    """Adds `export/`: all rows of the filtered list in each form, for everybody who may see the list, in scope.

    Each export is an audit entry.
    """

    resource: ClassVar[type[ModelResource]]
    export_related: ClassVar[tuple[str, ...]] = ()
    """Relations that the columns of the resource read."""
    export_order: ClassVar[tuple[str, ...]] = ("-pk",)
    """Descending columns, the last of them unique."""
    export_numbers: ClassVar[frozenset[str]] = frozenset()
    """The columns that are numbers in XLSX and JSON lines."""

    def has_export_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        view = self.admin_site.admin_view(self.export_view)
        return [
            path("export/", view, name=name),
            path("export/<slug:form>/", view, name=f"{name}_as"),
            *super().get_urls(),
        ]

    @checks_query
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        asked = request.GET.copy()
        for name in asked.keys() - self.export_parameters(request):
            del asked[name]
        extra = {
            "may_export": self.has_export_permission(request),
            "export_query": asked.urlencode(),
            **(extra_context or {}),
        }
        return cast("HttpResponse", super().changelist_view(request, extra))

    @checks_query
    @method_decorator(one_export_at_a_time)
    def export_view(self, request: HttpRequest, form: str = FileForm.CSV.value) -> HttpResponseBase:
        """Return all rows of the list's filters and search, newest first, without the list's limit.

        CSV and JSON lines are streamed. A workbook and a sheet to be printed are made in memory, so they are refused
        for a list that is too long.
        """
        if not self.has_export_permission(request):
            raise PermissionDenied
        query_check(request.GET, self.export_parameters(request))
        rows = self.rows_chosen(request).select_related(*self.export_related)
        resource, name = self.resource(), str(self.opts.model_name)
        if form in MAX_ROWS_IN_MEMORY:
            return self._export_in_memory(request, form, resource, rows)
        if form not in (FileForm.CSV.value, FileForm.JSON_LINES.value):
            raise Http404
        self.export_record(request, form)
        if form == FileForm.CSV.value:
            return csv_stream(request, name=name, resource=resource, rows=self.export_rows(request, rows))
        headers = resource.get_export_headers()
        cells = number_cells(headers, resource_lines(resource, self.export_rows(request, rows)), self.export_numbers)
        lines = (dict(zip(headers, line, strict=True)) for line in cells)
        return json_lines_response(request, name=name, rows=lines)

    def export_rows(self, request: HttpRequest, rows: "QuerySet[Any]") -> Iterator[Any]:
        """Read all rows of an export in its order, in several statements."""
        return rows_in_order(rows, self.export_order)

    def export_count(self, request: HttpRequest, rows: "QuerySet[Any]", most: int) -> int:
        """Return the number of rows, counting up to `most` and one more. Raises BadRequest if that takes too long."""
        return rows.order_by()[: most + 1].count()

    def export_record(self, request: HttpRequest, form: str, rows: int | None = None) -> None:
        """Write the export into the audit."""
        query = {name: value for name, value in request.GET.dict().items() if value}
        export = ListExport(str(self.opts.verbose_name_plural), form, query, rows)
        cast("ExportSite", self.admin_site).export_record(request, export)

    def _export_in_memory(
        self, request: HttpRequest, form: str, resource: ModelResource, rows: "QuerySet[Any]"
    ) -> HttpResponse:
        most = MAX_ROWS_IN_MEMORY[form]
        count = self.export_count(request, rows, most)
        if count > most:
            raise BadRequest(
                f"the list has more than {most:,} rows, too many for this form: filter it, or export it as CSV or JSON"
                " lines"
            )
        self.export_record(request, form, count)
        headers = resource.get_export_headers()
        read = resource_lines(resource, self.export_rows(request, rows))
        lines = list(number_cells(headers, read, self.export_numbers))
        title = headline(self.opts.verbose_name_plural)
        about = [
            ("title", title),
            ("scope", "all partners" if sees_all_partners(viewer_of(request)) else str(request.user.partner)),  # type: ignore[union-attr]
            ("filters", ", ".join(f"{name} {value}" for name, value in request.GET.items() if value) or "none"),
            ("made at", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"),
            ("made by", request.user.get_username()),
        ]
        if form == FileForm.XLSX.value:
            return xlsx_response(name=str(self.opts.model_name), sheets=[(title, [headers, *lines]), ("About", about)])
        numbers = [header in self.export_numbers for header in headers]
        context = {
            "title": title,
            "about": about,
            "headers": list(zip(numbers, [in_words(header) for header in headers], strict=True)),
            "lines": [list(zip(numbers, map(_printed, line), strict=True)) for line in lines],
        }
        return TemplateResponse(request, "office/list_print.html", context)

    def export_parameters(self, request: HttpRequest) -> frozenset[str]:
        """Return the parameters of an export: those that choose rows, without order and page."""
        return self.filter_parameters(request) | self.view_parameters(request) - {ORDER_VAR, PAGE_VAR}


def _printed(cell: object) -> str:
    return plain(cell) if isinstance(cell, Decimal) else str(cell) if cell not in ("", None) else "-"


class ReasonForm(forms.Form):
    """The form of a reason."""

    reason = forms.CharField(
        max_length=500, widget=UnfoldAdminTextareaWidget, help_text="It is stored permanently with your name."
    )


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer of the request. The admin site refuses users without a role, but templates may call this
    earlier."""
    return cast("Viewer", request.user)


def refusal_in_words(form: forms.Form, refusal: DomainError) -> str:
    """Return a refusal for the form's own page, where fields have labels: it names them as on the wire."""
    text = refusal.message.removeprefix(f"{refusal.field}: ")
    for name in form.fields:
        if "_" in name:  # other names are words of the language too
            text = re.sub(rf"\b{name}\b", f'"{form[name].label}"', text)
    return text


def sent(request: HttpRequest) -> QueryDict | None:
    """Return the sent data of a form, or None if it was not sent, so that an empty form can be sent too."""
    return request.POST if request.method == "POST" else None


@admin.register(Currency)
class CurrencyAdmin(OfficeAdmin):
    list_display = ["code", "name", "decimals", "is_play", "grant"]
    fields = list_display
    search_fields = ["code", "name"]

    @display(description="play grant")
    def grant(self, currency: Currency) -> str:
        return amount_text(currency.play_grant, currency) if currency.is_play else "-"
