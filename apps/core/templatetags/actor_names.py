"""The filter `told` for names of people."""

from django import template

from apps.core.actor_names import actor_told

register = template.Library()
register.filter("told", actor_told)
