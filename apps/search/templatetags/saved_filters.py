"""The saved filters above a list."""

from typing import Any

from django import template
from django.urls import reverse

from apps.accounts.selectors import log_in_of
from apps.search.services import saved_filters

register = template.Library()


@register.inclusion_tag("office/saved_filters.html", takes_context=True)
def saved_filters_of_list(context: dict[str, Any]) -> dict[str, Any]:
    """Return the list's saved filters, and the data of the form that saves the present filters."""
    request, opts = context["request"], context["opts"]
    user = log_in_of(request)
    listing = f"{opts.app_label}_{opts.model_name}"
    asked = request.GET.copy()
    asked.pop("p", None)
    base = reverse(f"admin:{listing}_changelist")
    return {
        "csrf_token": context.get("csrf_token"),
        "listing": listing,
        "query": asked.urlencode(),
        "saved": [
            {
                "pk": row.pk,
                "name": row.name,
                "url": f"{base}?{row.query}",
                "is_own": row.owner_id == user.pk,
                "by": row.owner.get_username(),
                "is_shared": row.is_shared,
            }
            for row in saved_filters(user=user, listing=listing)
        ],
    }
