"""The filters that a list is narrowed by, in words above it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib.admin.utils import get_fields_from_path
from django.http import HttpRequest

from apps.core.filters import DayRangeFilter, rows_in_scope


class ActiveFilter(NamedTuple):
    """A filter in use."""

    title: str
    words: str
    query: str
    """The query of the list without it."""


def active_filters(request: HttpRequest, changelist: Any) -> tuple[list[ActiveFilter], str]:
    """Return the filters in use, and the query of the list without any."""
    found = [*_chosen(request, changelist), *_linked(request, changelist)]
    needed = {spec.needs: spec.parameter_name for spec in changelist.filter_specs if getattr(spec, "needs", None)}
    filters = [
        ActiveFilter(title, words, _without(request, [*names, *(needed[name] for name in names if name in needed)]))
        for title, words, names in found
    ]
    return filters, _without(request, [name for _, _, names in found for name in names])


def _chosen(request: HttpRequest, changelist: Any) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the title, words and parameters of each declared filter in use."""
    for spec in changelist.filter_specs:
        names = spec.expected_parameters()
        if any(request.GET.get(name) for name in names):
            words = _days(spec) if isinstance(spec, DayRangeFilter) else _choice(spec, changelist, names[0], request)
            yield spec.title, words, names


def _linked(request: HttpRequest, changelist: Any) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the same of each filter that only links of other pages use."""
    listing = changelist.model_admin
    for name in sorted(listing.linked_lookups & request.GET.keys()):
        relation = get_fields_from_path(listing.model, name.removesuffix("__exact"))[0]
        row = rows_in_scope(relation, request, listing).filter(pk=request.GET[name]).first()
        yield str(relation.verbose_name), str(row or request.GET[name]), [name]


def _days(spec: DayRangeFilter) -> str:
    match spec.first, spec.last:
        case first, None:
            return f"from {first}"
        case None, last:
            return f"up to {last}"
        case first, last:
            return f"{first}" if first == last else f"{first} to {last}"


def _choice(spec: Any, changelist: Any, name: str, request: HttpRequest) -> str:
    """Return the words of the chosen value, as the form of the filter has them; a row out of scope has none."""
    value = request.GET[name]
    (choice,) = spec.choices(changelist)
    field = choice["form"].fields[name]
    if (rows := getattr(field, "queryset", None)) is not None:
        return str(rows.filter(pk=value).first() or value)
    return str({str(key): words for key, words in field.choices}.get(value, value))


def _without(request: HttpRequest, names: list[str]) -> str:
    query = request.GET.copy()
    for name in ("p", *names):
        query.pop(name, None)
    return query.urlencode()
