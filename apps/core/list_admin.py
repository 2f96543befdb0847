"""Lists that filter only by what they declare.

Django's admin filters a list by any column that a parameter names, even a secret one: `?password__startswith=a` reveals
whether such a row exists. This base class accepts the parameters of `list_filter` and `linked_lookups`, search, order
and page, and refuses any other, in lists and exports. `OfficeSite.register` refuses an admin without it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, cast, final

from django.apps import apps
from django.contrib.admin import AdminSite
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

from apps.core.active_filters import ActiveFilter, active_filters
from apps.core.filters import ColumnFilter, NamedFilter, value_check
from apps.core.office_html import headline
from apps.core.query_parameters import checks_query, page_check, parameter_refused, query_check

MAX_SEARCH_CHARS: Final = 200
_ORDER_TERM: Final = re.compile(r"-?([0-9]{1,3})")
_FINAL: Final = (
    "get_changelist", "get_changelist_instance", "lookup_allowed",
    "list_query_check", "filter_parameters", "view_parameters", "rows_chosen",
)  # fmt: skip
"""Methods that decide which parameters a list accepts. An admin that overrides one is not registered."""


class StrictChangeList(ChangeList):
    """Refuses an order that the list does not offer, and a page beyond the last."""

    def get_ordering(self, request: HttpRequest, queryset: "QuerySet[Any]") -> list[Any]:
        asked = self.params.get(ORDER_VAR, "")
        columns = [self._sortable_column(term) for term in asked.split(".")] if asked else []
        if len(set(columns)) < len(columns):
            raise parameter_refused(ORDER_VAR, "a column is named more than once")
        ordering: list[Any] = super().get_ordering(request, queryset)
        return ordering

    @property
    def active_filters(self) -> tuple[list[ActiveFilter], str]:
        """The filters in use, and the query of the list without any."""
        return active_filters(self.request, self)

    def get_results(self, request: HttpRequest) -> None:
        """Read nothing yet, since exports need the chosen rows alone (`page_read`)."""
        self.request = request

    def page_read(self) -> None:
        """Read the rows of the list's page, and count those of all pages."""
        try:
            super().get_results(self.request)
        except IncorrectLookupParameters as error:
            raise parameter_refused(PAGE_VAR, "the list has no such page") from error
        if self.paginator.reads_pages_alone and not self.multi_page:
            self.result_list = self.paginator.page(1).object_list
        if not self.filter_params and not self.query:
            # The theme has a link to all rows wherever the two differ; it would lead to the same list.
            self.full_result_count = self.result_count
        self.model_admin.page_rows_load(self.result_list)

    def _sortable_column(self, term: str) -> int:
        match = _ORDER_TERM.fullmatch(term)
        if match is None:
            raise parameter_refused(ORDER_VAR, "this is no order; name columns by number, as in 1.-2")
        number = int(match[1])
        shown = self.list_display[number] if number < len(self.list_display) else None
        if shown is None or shown not in self.sortable_by or not self.get_ordering_field(shown):
            raise parameter_refused(ORDER_VAR, f"the list is not sorted by column {number}")
        return number


class StrictListAdmin(ModelAdmin):
    """The base of every admin of the back office."""

    linked_lookups: ClassVar[frozenset[str]] = frozenset()
    """Filters that other pages link to, in addition to `list_filter`: `<path>__exact`."""
    page_parameters: ClassVar[frozenset[str]] = frozenset({"_changelist_filters"})
    """Accepted by every page except the list: the filters of the list that the page's links lead back to."""

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        """Load what rows of a list, or the row of a page, show beside their own columns: all together, without a query
        for each."""

    @final
    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[StrictChangeList]:
        return StrictChangeList

    @final
    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the requested list. Raises BadRequest, which names the parameter."""
        listed = self._list_unread(request)
        listed.page_read()
        return listed

    @final
    def rows_chosen(self, request: HttpRequest) -> "QuerySet[Any]":
        """Return all rows that the requested list's filters and search choose, without reading its page. Raises
        BadRequest, which names the parameter."""
        rows: QuerySet[Any] = self._list_unread(request).queryset
        return rows

    @final
    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return request is not None and lookup in self.filter_parameters(request)

    @checks_query
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        title = {"title": headline(self.opts.verbose_name_plural)}  # Django's is "Select round to view"
        return super().changelist_view(request, title | (extra_context or {}))

    @final
    def list_query_check(self, request: HttpRequest) -> None:
        """Refuse unknown parameters; the filters check their own values when they are created."""
        query_check(request.GET, self.filter_parameters(request) | self.view_parameters(request))
        page_check(PAGE_VAR, request.GET.get(PAGE_VAR))
        search_check(SEARCH_VAR, request.GET.get(SEARCH_VAR, ""))
        for name in self.linked_lookups & request.GET.keys():
            value_check(name, request.GET[name], get_fields_from_path(self.model, name.removesuffix("__exact"))[-1])

    @final
    def filter_parameters(self, request: HttpRequest) -> frozenset[str]:
        """Return the names of all parameters that filter this viewer's list."""
        return self.linked_lookups | {
            name for entry in self.get_list_filter(request) for name in filter_names(self.model, entry)
        }

    @final
    def view_parameters(self, request: HttpRequest) -> frozenset[str]:
        """Return the names of the parameters of search, order and page."""
        searched = {SEARCH_VAR} if self.get_search_fields(request) else set()
        return frozenset({ORDER_VAR, PAGE_VAR} | searched)

    def _list_unread(self, request: HttpRequest) -> StrictChangeList:
        self.list_query_check(request)
        return cast("StrictChangeList", super().get_changelist_instance(request))


def listings_filtered_by(site: AdminSite, parameter: str) -> list[StrictListAdmin]:
    """Return the site's lists that the parameter filters for any viewer."""
    return [listing for listing in _listings(site) if parameter in _declared_parameters(listing)]


def listings_by_partner(site: AdminSite) -> list[tuple[StrictListAdmin, str]]:
    """Return the site's lists that have a filter by partner, each with its parameter."""
    found = ((listing, sorted(filter(_is_by_partner, _declared_parameters(listing)))) for listing in _listings(site))
    return [(listing, names[0]) for listing, names in found if names]


def _is_by_partner(parameter: str) -> bool:
    return parameter.endswith("partner__id__exact")


def _listings(site: AdminSite) -> list[StrictListAdmin]:
    registered = [site.get_model_admin(model) for model in apps.get_models() if site.is_registered(model)]
    return [listing for listing in registered if isinstance(listing, StrictListAdmin)]


def _declared_parameters(listing: StrictListAdmin) -> frozenset[str]:
    names = (name for entry in listing.list_filter for name in filter_names(listing.model, entry))
    return listing.linked_lookups.union(names)


def search_check(name: str, term: str) -> None:
    """Refuse a search term that is too long. Raises BadRequest."""
    if len(term) > MAX_SEARCH_CHARS:
        raise parameter_refused(name, f"a search takes at most {MAX_SEARCH_CHARS} characters")


def filter_names(model: type[Model], entry: Any) -> tuple[str, ...]:
    """Return the parameters of an entry of `list_filter`. Raises TypeError for a filter that is not strict."""
    match entry:
        case str() as path, type() as kind if issubclass(kind, ColumnFilter):
            return kind.parameter_names(get_fields_from_path(model, path)[-1], path)
        case type() as kind if issubclass(kind, NamedFilter):
            return (kind.parameter_name,)
    raise TypeError(f"{entry!r} is none of the filters of apps.core.filters")


def list_faults(model: type[Model], admin_class: type) -> Iterator[str]:
    """Yield the reasons why an admin cannot be registered: parts that could filter by more than it declares."""
    if not issubclass(admin_class, StrictListAdmin):
        yield "it is no StrictListAdmin"
        return
    for name in _FINAL:
        if getattr(admin_class, name) is not getattr(StrictListAdmin, name):
            yield f"it has a {name} of its own"
    for name in ("date_hierarchy", "list_editable", "inlines"):
        if getattr(admin_class, name):
            yield f"it has {name}, which reads the query or writes rows in its own way"
    for entry in admin_class.list_filter:
        try:
            filter_names(model, entry)
        except TypeError as error:
            yield str(error)
    for lookup in admin_class.linked_lookups:
        if not lookup.endswith("__exact"):
            yield f"its linked lookup {lookup} is not an exact one"
