"""The filters of the back office's lists. Each has its own parameters and refuses an invalid value.

Django's and the theme's filters ignore an invalid value, so the list would show rows that were not asked for.
`apps.core.list_admin` allows no other filters than these.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.validators import EMPTY_VALUES
from django.db.models import Field, Q, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    ChoicesDropdownFilter,
    DropdownFilter,
    RangeDateFilter,
    RelatedDropdownFilter,
)
from unfold.utils import parse_date_str

from apps.core.office_html import in_words
from apps.core.query_parameters import parameter_refused

_KEY: Final = re.compile(r"[1-9][0-9]{0,17}")


class ColumnFilter:
    """A filter by a column of the list's table or of a related table."""

    @classmethod
    def parameter_names(cls, field: "Field[Any, Any]", path: str) -> tuple[str, ...]:
        """Return the parameters of the filter by `field`, which is at `path`."""
        raise NotImplementedError


class ChoiceFilter(ColumnFilter, ChoicesDropdownFilter):
    """`<path>__exact`: one of the column's choices."""

    def __init__(self, field: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(field, *args, **kwargs)
        _choice_check(self.lookup_kwarg, self.value(), (value for value, _ in field.flatchoices))

    @classmethod
    def parameter_names(cls, field: "Field[Any, Any]", path: str) -> tuple[str, ...]:
        return (f"{path}__exact",)

    def expected_parameters(self) -> list[str]:
        return [self.lookup_kwarg]

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """Name the choices in words; some of a column's own are names of the wire."""
        for choice in super().choices(changelist):
            field = choice["form"].fields[self.lookup_kwarg]
            field.choices = [(value, in_words(str(text))) for value, text in field.choices]
            yield choice


class RelatedFilter(ColumnFilter, RelatedDropdownFilter):
    """`<path>__<key>__exact`: the key of a related row. Only rows within the viewer's scope are offered."""

    def __init__(self, field: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(field, *args, **kwargs)
        if self.value() not in EMPTY_VALUES:
            value_check(self.lookup_kwarg, self.value(), field.target_field)

    @classmethod
    def parameter_names(cls, field: Any, path: str) -> tuple[str, ...]:
        return (f"{path}__{field.target_field.name}__exact",)

    def expected_parameters(self) -> list[str]:
        return [self.lookup_kwarg]

    def has_output(self) -> bool:
        """Return whether the filter is shown. Django does not apply a hidden filter, so a filter with a value is always
        shown."""
        return self.value() not in EMPTY_VALUES or bool(super().has_output())

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return [(row.pk, str(row)) for row in rows_in_scope(field, request, model_admin)]


class RelatedSearchFilter(AutocompleteSelectFilter, RelatedFilter):
    """A RelatedFilter for a table of many rows, with a search on the page."""

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """Name the chosen row if it is within the viewer's scope. The theme would name any row with this key."""
        for choice in super().choices(changelist):
            form_field = choice["form"].fields[self.lookup_kwarg]
            form_field.queryset = rows_in_scope(self.field, self.request, self.model_admin)
            yield choice


class NamedFilter(DropdownFilter):
    """`<parameter_name>`: one of `lookups`, which a subclass defines."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice_check(self.parameter_name, self.value(), (value for value, _ in self.lookup_choices))


class ConditionFilter(NamedFilter):
    """One of several named conditions."""

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        """Return the words and the condition of each value."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, words) for value, (words, _) in self.conditions().items()]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        chosen = self.value()
        return queryset.filter(self.conditions()[chosen][1]) if chosen else queryset


class PartnerKeyFilter(NamedFilter):
    """`partner`: the partner of rows that hold its key without a relation, as those of the apps below the partners do.
    Viewers of one partner have no such filter (`OfficeAdmin.get_list_filter`)."""

    title = "partner"
    parameter_name = "partner"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer all partners. Another number is no partner, and finds nothing, as in the filters by a relation."""
        partners = model_admin.admin_site.get_model_admin(apps.get_model("partners.Partner")).get_queryset(request)
        offered = {str(partner.pk): str(partner) for partner in partners.order_by("name")}
        chosen = request.GET.get(self.parameter_name, "")
        if _KEY.fullmatch(chosen):
            offered.setdefault(chosen, chosen)
        return list(offered.items())

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        return queryset.filter(partner_id=self.value()) if self.value() else queryset


class DayRangeFilter(ColumnFilter, RangeDateFilter):
    """`<path>_from` and `<path>_to`: a range of whole days in UTC, including both."""

    used_parameters: dict[str, Any]

    def __init__(self, *args: Any, field_path: str, **kwargs: Any) -> None:
        self.parameter_name = field_path
        super().__init__(*args, field_path=field_path, **kwargs)
        # Django stores lists. An empty value must be stored too, so that the page's links omit it.
        self.used_parameters = {name: values[-1] for name, values in self.used_parameters.items()}
        self.first, self.last = (self._day(name) for name in self.expected_parameters())
        if self.first is not None and self.last is not None and self.first > self.last:
            raise parameter_refused(self.expected_parameters()[1], "the last day is before the first")

    @classmethod
    def parameter_names(cls, field: "Field[Any, Any]", path: str) -> tuple[str, ...]:
        return (f"{path}_from", f"{path}_to")

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        begin, end = self.moments()
        if begin is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__gte": begin})
        if end is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__lt": end})
        return queryset

    def moments(self, zone: tzinfo = UTC) -> tuple[datetime | None, datetime | None]:
        """Return the moment that the first day begins and the one after the last day; None is no bound."""
        begin = None if self.first is None else datetime.combine(self.first, time(), zone)
        if self.last is None or self.last == date.max:  # no midnight comes after it
            return begin, None
        return begin, datetime.combine(self.last + timedelta(days=1), time(), zone)

    def _day(self, name: str) -> date | None:
        text = self.used_parameters.get(name)
        if text in EMPTY_VALUES:
            return None
        day: date | None = parse_date_str(text)
        if day is None:
            raise parameter_refused(name, "this is no date; write it as 2026-01-31")
        return day


def value_check(name: str, text: str, field: "Field[Any, Any]") -> None:
    """Refuse an invalid value of the column. Raises BadRequest."""
    try:
        field.run_validators(field.to_python(text))
    except ValidationError as error:
        raise parameter_refused(name, "this is no possible value") from error


def rows_in_scope(field: Any, request: HttpRequest, model_admin: Any) -> "QuerySet[Any]":
    """Return the rows of a foreign key within the viewer's scope, in their list's order."""
    rows: QuerySet[Any] = model_admin.admin_site.get_model_admin(field.remote_field.model).get_queryset(request)
    return rows


def _choice_check(name: str, chosen: str | None, choices: Iterable[object]) -> None:
    if chosen not in EMPTY_VALUES and chosen not in {str(value) for value in choices}:
        raise parameter_refused(name, "this is none of the choices")
