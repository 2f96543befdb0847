"""The filter `row_title`: the name of a row at the head of its pages."""

from typing import Any

from django import template
from django.contrib import admin

register = template.Library()


@register.filter
def row_title(row: Any) -> str:
    """Return the name of a row as its admin has it."""
    listing: Any = admin.site.get_model_admin(type(row))
    return str(listing.row_title(row))
