"""The filter `told`: the name of a person as the viewer may know it."""

from django import template

from apps.core.actor_names import shown_actor

register = template.Library()
register.filter("told", shown_actor)
