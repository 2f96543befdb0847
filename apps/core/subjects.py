"""The subjects of acts and events as links, and their changes as a table."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.contrib import admin
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.core import json
from apps.core.office_html import admin_name, in_words, link_html, raw_html, table_html

_SEARCHED: Final = {
    "partner": "partners_partner",
    "api key": "partners_apikey",
    "log-in": "accounts_user",
}
"""Subjects that are named by a text, and the lists that find the text."""

SHORT_KEY: Final = 8
"""The characters of a long key that lists show."""

_ALIASES: Final = {"table": "game table"}
"""Subjects by another name than their model's."""

_NAMED: Final = re.compile(r"(.+?) (\S+)")


def subject_of(row: Any) -> str:
    """Return a row as acts name it: the name of its model, and its key."""
    return f"{row._meta.verbose_name} {row.pk}"


def subject_html(subject: str) -> SafeString | str:
    """Return the subject of an act as a link to its page, or to the list that finds it.

    A subject begins with the name of its model, as pages show it.
    """
    named = _NAMED.fullmatch(subject)
    if named is None:
        return subject
    kind, key = named[1].lower(), named[2]
    if kind in _SEARCHED:
        return format_html('<a href="{}?q={}">{}</a>', reverse(f"admin:{_SEARCHED[kind]}_changelist"), key, subject)
    model = _model_of(kind)
    if model is None:
        return subject
    shown = raw_html(f"{named[1]} {key[:SHORT_KEY]}" if len(key) > SHORT_KEY else subject, subject)
    return link_html(admin_name(model), key, shown)


def subject_row(subject: str) -> Any:
    """Return the row that a subject of `subject_of` names, or None."""
    named = _NAMED.fullmatch(subject)
    model = None if named is None else _model_of(named[1].lower())
    return None if named is None or model is None else model._default_manager.filter(pk=named[2]).first()


def row_link_html(row: Any) -> SafeString:
    """Return a link to the row's page."""
    return link_html(admin_name(type(row)), row.pk, row)


def _model_of(kind: str) -> type[Model] | None:
    for model in admin.site._registry:
        if str(model._meta.verbose_name).lower() == _ALIASES.get(kind, kind):
            return model
    return None


def named_values(told: object) -> Mapping[str, Any]:
    """Return the values before or after an act, by name.

    Guests that were closed by earlier versions have a single text there, and their entries never change.
    """
    match told:
        case Mapping():
            return told
        case None | "":
            return {}
    return {"value": told}


def value_text(value: object) -> str:
    """Return a stored value in words, on one line: `decks 8, rules (double any, simple no)`."""
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case Mapping():
            return ", ".join(f"{in_words(name)} {_within(member)}" for name, member in value.items())
        case list():
            return ", ".join(map(_within, value)) or "none"
    return json.encode(value).decode()


def changes_html(told_before: object, told_after: object) -> SafeString:
    """Return the changes of an act, a row for each changed value."""
    before, after = named_values(told_before), named_values(told_after)
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    rows = [(in_words(name), _shown(before.get(name)), _shown(after.get(name))) for name in names]
    return table_html(("what", "before", "after"), rows, empty="Nothing was changed.")


def _shown(value: Any) -> object:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "-"
        case Mapping():
            return SafeString(" ").join(
                format_html("<div>{}: {}</div>", in_words(name), _shown(member)) for name, member in value.items()
            )
    return value


def _within(value: object) -> str:
    return f"({value_text(value)})" if isinstance(value, (Mapping, list)) and value else value_text(value)
