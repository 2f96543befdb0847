"""The back office's ground: who may do what by role alone, whose rows they see, and pages that call one service.

Rows are never edited in a model form here. A list and a read-only page show them; every change is an
action with a form of its own (`OfficeAdmin.action_form_view`), which calls one service and shows its refusal beside
the field at fault.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, NoReturn, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from import_export.resources import ModelResource
from unfold.dataclasses import UnfoldAction
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.core.errors import DomainError
from apps.core.list_admin import StrictListAdmin
from apps.core.listing import csv_stream
from apps.core.models import Currency
from apps.core.money import amount_text
from apps.core.query import checks_query, query_check
from apps.core.tables import time_html
from apps.core.viewers import (
    AUDITOR,
    OFFICE_ROLES,
    OPERATOR,
    PARTNER_STAFF,
    Viewer,
    in_scope,
    may_enter,
    sees_all_partners,
)

MAX_LISTED_ROWS = 10_000


class BoundedPaginator(Paginator):
    """Counts no further than MAX_LISTED_ROWS, in the list's own order: an index gives the newest rows, however many.

    What lies beyond is reached with filters, or exported.
    """

    @cached_property
    def count(self) -> int:
        rows = cast("QuerySet[Model]", self.object_list)
        return rows[:MAX_LISTED_ROWS].count()

    @property
    def bound(self) -> int | None:
        """How many rows are shown, where there may be more."""
        return MAX_LISTED_ROWS if self.count == MAX_LISTED_ROWS else None


class OfficeAdmin(StrictListAdmin):
    """Read-only lists and pages of the viewer's own scope; another partner's id looks like no id at all."""

    partner_path: ClassVar[str | None] = None
    """The lookup from a row to its partner's id; None where rows belong to no partner."""
    readers: ClassVar[frozenset[str]] = OFFICE_ROLES
    house_wide: ClassVar[bool] = False
    """Rows of no single partner, for those alone who see all partners."""
    list_per_page = 25
    list_max_show_all = 0
    list_filter_submit = True
    list_fullwidth = True
    list_disable_select_all = True
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they count every row, filter by filter
    paginator = BoundedPaginator
    list_after_template = "office/list_end.html"
    actions = None

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        viewer = viewer_of(request)
        if self.house_wide and not (may_enter(viewer) and sees_all_partners(viewer)):
            return False
        return may_enter(viewer) and viewer.role in self.readers

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Say whether the viewer is an operator."""
        return viewer_of(request).role == OPERATOR and may_enter(viewer_of(request))

    def has_configure_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Say whether the viewer may change a partner's own settings."""
        return viewer_of(request).role in (OPERATOR, PARTNER_STAFF) and may_enter(viewer_of(request))

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        rows = super().get_queryset(request)
        if self.partner_path is None:
            return cast("QuerySet[Any]", rows)
        return in_scope(rows, viewer=viewer_of(request), partner_path=self.partner_path)

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Leave out the filter by partner where there is one partner to see: its list would name the others."""
        filters = list(super().get_list_filter(request))
        if sees_all_partners(viewer_of(request)):
            return filters
        return [entry for entry in filters if not (isinstance(entry, tuple) and entry[0].endswith("partner"))]

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> tuple["QuerySet[Any]", bool]:
        """Search by `search_lookup`, which answers from an index; without one, as Django does."""
        term = search_term.strip()
        lookup = self.search_lookup(term) if term else None
        if lookup is None:
            found, may_repeat = super().get_search_results(request, queryset, term)
            return found, may_repeat
        return queryset.filter(**lookup), False

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        """Return the one filter that a search term means here; None: let Django search `search_fields`."""
        return None

    @display(description="created (UTC)", ordering="ctime")
    def created(self, row: Any) -> SafeString:
        return time_html(row.ctime)

    @display(description="changed (UTC)", ordering="mtime")
    def changed(self, row: Any) -> SafeString:
        return time_html(row.mtime)

    def hidden_actions(self, row: Any) -> Collection[str]:
        """Return the names of actions that would change nothing of this row: its page has no button for them."""
        return ()

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        row = self.get_object(request, unquote(str(object_id))) if actions else None
        if row is None:
            return actions
        hidden = {f"{self.opts.app_label}_{self.opts.model_name}_{name}" for name in self.hidden_actions(row)}
        return [action for action in actions if action.action_name not in hidden]

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row by its key. PostgreSQL knows no text with a NUL in it, so there is no such row."""
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def object_or_404(self, request: HttpRequest, object_id: str) -> Any:
        """Return the row, or answer 404 as for any id that the viewer may not know of."""
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
        """Show a row. Nothing is saved by Django's form: `_saveasnew` would make a row past every service and audit."""
        if request.method == "POST":
            raise PermissionDenied
        return cast("HttpResponse", super().changeform_view(request, object_id, form_url, extra_context))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Answer 404 for whatever the viewer may not know of: Django would tell a row that is there by its 403."""
        self.object_or_404(request, object_id)
        return cast("HttpResponse", super().history_view(request, object_id, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> NoReturn:
        """Refuse: nothing is deleted here; and a row out of scope is not there in this address either."""
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
        template: str = "office/action_form.html",
        extra: Mapping[str, Any] | None = None,
    ) -> HttpResponse:
        """Show `form`; when it was sent and is valid, `call` one service with its data and go back.

        A DomainError becomes the form's error, beside its field if it names one. `done` is said on success.
        A POST with `preview` in it only shows the page again.
        """
        back = self.page_url(obj)
        if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
            try:
                answer = call(form.cleaned_data)
            except DomainError as refusal:
                form.add_error(refusal.field if refusal.field in form.fields else None, refusal.message)
            else:
                if isinstance(answer, HttpResponse):
                    return answer
                messages.success(request, done)
                return HttpResponseRedirect(back)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": obj,
            "title": title,
            "form": form,
            "note": note,
            "back": back,
            **(extra or {}),
        }
        return TemplateResponse(request, template, context)

    def add_permission_require(self, request: HttpRequest) -> None:
        """Refuse whoever may not add here."""
        if not self.has_add_permission(request):
            raise PermissionDenied

    def page_url(self, obj: Model | None) -> str:
        """Return the address of the row's page; without a row, of the list."""
        base = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}"
        if obj is None:
            return reverse(f"{base}_changelist")
        return reverse(f"{base}_change", args=[quote(obj.pk)])

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> NoReturn:
        # Django would redirect (302): another partner's id must look like no id at all.
        raise Http404


class AppendOnlyAdmin(OfficeAdmin):
    """Read and export. Nobody adds, edits or deletes here, an operator included; triggers say so again."""

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_configure_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ExportAdmin(OfficeAdmin):
    """Adds `export/`: the list as it is filtered, whole, as CSV; for auditors and operators."""

    resource: ClassVar[type[ModelResource]]
    export_related: ClassVar[tuple[str, ...]] = ()
    """Relations that the resource's columns read."""
    list_before_template = "office/export_link.html"

    def has_export_permission(self, request: HttpRequest) -> bool:
        return viewer_of(request).role in (AUDITOR, OPERATOR) and self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        return [path("export/", self.admin_site.admin_view(self.export_view), name=name), *super().get_urls()]

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
    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the rows of the list's filters and search, past the list's bound, newest first."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        query_check(request.GET, self.export_parameters(request))
        rows = self.get_changelist_instance(request).get_queryset(request)
        rows = rows.select_related(*self.export_related)
        return csv_stream(request, name=str(self.opts.model_name), resource=self.resource(), rows=rows)

    def export_parameters(self, request: HttpRequest) -> frozenset[str]:
        """Return what an export takes: what says which rows, not what says in which order or on which page."""
        return self.filter_parameters(request) | self.view_parameters(request) - {ORDER_VAR, PAGE_VAR}


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = forms.CharField(
        max_length=500, widget=UnfoldAdminTextareaWidget, help_text="It is kept for good, with your name."
    )


def viewer_of(request: HttpRequest) -> Viewer:
    """Return who asks. The admin site lets nobody without a role this far, but templates may ask earlier."""
    return cast("Viewer", request.user)


def sent(request: HttpRequest) -> QueryDict | None:
    """Return what a form was sent with; None before it is, so that an empty form can be sent too."""
    return request.POST if request.method == "POST" else None


@admin.register(Currency)
class CurrencyAdmin(OfficeAdmin):
    list_display = ["code", "name", "decimals", "is_play", "grant"]
    fields = list_display
    search_fields = ["code", "name"]

    @display(description="play grant")
    def grant(self, currency: Currency) -> str:
        return amount_text(currency.play_grant, currency) if currency.is_play else "-"
