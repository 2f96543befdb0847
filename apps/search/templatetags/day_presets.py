"""Links to presets of date ranges, above lists and reports."""

from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import template
from django.http import QueryDict

from apps.core.day_presets import day_presets

UTC_NAME: Final = "UTC"

register = template.Library()


@register.inclusion_tag("office/day_presets.html", takes_context=True)
def day_presets_of_list(context: dict[str, Any]) -> dict[str, Any]:
    """Return the presets of the list's first filter by days, if it has one; "All days" is of all such filters."""
    request = context["request"]
    names = (spec.expected_parameters() for spec in context["cl"].filter_specs)
    ranges = [found for found in names if len(found) == 2 and found[0].endswith("_from")]
    if not ranges:
        return {"presets": []}
    first, last = ranges[0]
    zone = request.GET.get("zone") or UTC_NAME
    presets = [
        _preset(request.GET, each.label, {first: each.first.isoformat(), last: each.last.isoformat()})
        for each in day_presets(_today(zone))
    ]
    none = {name: "" for found in ranges for name in found}
    return {"presets": [_preset(request.GET, "All days", none), *presets], "zone": zone}


@register.inclusion_tag("office/day_presets.html", takes_context=True)
def day_presets_of_report(context: dict[str, Any]) -> dict[str, Any]:
    """Return the presets of a report."""
    asked = context["request"].GET
    zone = asked.get("zone", UTC_NAME)
    fixed = {"zone": zone, "length": "range"}
    return {
        "zone": UTC_NAME if zone == UTC_NAME else "the partner's time zone",
        "presets": [
            _preset(asked, each.label, {**fixed, "since": each.first.isoformat(), "until": each.last.isoformat()})
            for each in day_presets(_today())
        ],
    }


def _preset(asked: QueryDict, label: str, days: dict[str, str]) -> dict[str, Any]:
    """Return a link with these days and the other parameters of the query, to the first page."""
    query = asked.copy()
    query.pop("p", None)
    for name, day in days.items():
        if day:
            query[name] = day
        else:
            query.pop(name, None)
    is_now = all(asked.get(name, "") == day for name, day in days.items())
    return {"label": label, "query": query.urlencode(), "is_now": is_now}


def _today(zone: str = UTC_NAME) -> date:
    return datetime.now(ZoneInfo(zone)).date()
