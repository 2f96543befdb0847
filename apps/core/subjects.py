"""The subjects of acts and events as links, and their changes as a table."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.core import json
from apps.core.office_html import admin_name, in_words, link_html, raw_html, table_html, words_of

_SEARCHED: Final = {"partner": "slug", "api key": "prefix", "log-in": "username"}
"""Subjects that are named by a text, and the column that has it. Lists find it."""

SHORT_KEY: Final = 8
"""The characters of a long key that lists show."""

_ALIASES: Final = {"table": "game table"}
"""Subjects by another name than their model's."""

_SWITCH: Final = "switch of "
"""Acts on a switch begin their subject with it. What the switch is of follows, by its key."""

_NAMED: Final = re.compile(r"(.+?) (\S+)")


def subject_of(row: Any) -> str:
    """Return a row as acts name it: the name of its model, and its key."""
    return f"{row._meta.verbose_name} {row.pk}"


class _Subject(NamedTuple):
    """The parts of a subject, and its row if pages show another name than its key."""

    kind: str
    key: str
    model: type[Model] | None
    row: Any = None

    @property
    def words(self) -> str:
        """The subject by the name that people know it by, or with a short key."""
        if self.row is None:
            return f"{self.kind} {self.key[:SHORT_KEY]}" if len(self.key) > SHORT_KEY else f"{self.kind} {self.key}"
        return f"{self.kind} {_office_admin(type(self.row)).subject_name(self.row)}"


def subject_html(subject: str) -> SafeString | str:
    """Return the subject of an act as a link to its page, or to the list that finds it."""
    return subjects_html([subject])[subject]


def subjects_html(subjects: Iterable[str]) -> dict[str, SafeString | str]:
    """Return the subjects of acts as links, with one query for each kind of subject.

    A subject begins with the name of its model, as pages show it. It is shown by its name, if it has one that people
    know it by, with the stored text as a tool tip.
    """
    return {subject: _subject_link(subject, parts) for subject, parts in _subjects_read(subjects).items()}


def links_load(rows: Sequence[Any]) -> None:
    """Give each act or event the links of its subject and partner, `subject_shown` and `partner_shown`, and its subject
    in words, `subject_words`.
    """
    partners_load(rows)
    subjects = _subjects_read(row.subject for row in rows)
    for row in rows:
        parts = subjects[row.subject]
        row.subject_shown = _subject_link(row.subject, parts)
        row.subject_words = _subject_words(row.subject, parts)


def partners_load(rows: Sequence[Any]) -> None:
    """Give each row that holds a partner's key the link to it, `partner_shown`.

    The app of partners is above this one, so its model is found by its name.
    """
    keys = {row.partner_id for row in rows if row.partner_id is not None}
    partners = apps.get_model("partners.Partner")._default_manager.in_bulk(keys) if keys else {}
    for row in rows:
        partner = partners.get(row.partner_id)
        row.partner_shown = "-" if partner is None else link_html("partners_partner", partner.pk, partner)


def subjects_in_words(subjects: Iterable[str]) -> dict[str, str]:
    """Return the subjects of acts by the names that people know them by, with one query for each kind of subject."""
    return {subject: _subject_words(subject, parts) for subject, parts in _subjects_read(subjects).items()}


def _subject_words(subject: str, parts: _Subject | None) -> str:
    return subject if parts is None or parts.model is None else parts.words


def _subject_link(subject: str, parts: _Subject | None) -> SafeString | str:
    if parts is None or parts.model is None:
        return subject
    name = admin_name(parts.model)
    if parts.row is not None:
        return link_html(name, parts.row.pk, raw_html(parts.words, subject))
    if parts.kind.lower() in _SEARCHED:
        return format_html('<a href="{}?q={}">{}</a>', reverse(f"admin:{name}_changelist"), parts.key, subject)
    shown = raw_html(parts.words, subject) if parts.words != subject else subject
    return link_html(name, parts.key, shown)


def _subjects_read(subjects: Iterable[str]) -> dict[str, _Subject | None]:
    """Return the parts of each subject; None for a text that names no row."""
    found: dict[str, _Subject | None] = {}
    for subject in dict.fromkeys(subjects):
        named = _NAMED.fullmatch(subject)
        found[subject] = named and _Subject(named[1], named[2], _model_of(named[1].lower().removeprefix(_SWITCH)))
    for (model, column), of_column in _by_column(found).items():
        rows = _rows_named(model, column, [parts.key for parts in of_column.values()])
        for (subject, parts), row in zip(of_column.items(), rows, strict=True):
            found[subject] = parts._replace(row=row)
    return found


def _by_column(found: Mapping[str, _Subject | None]) -> dict[tuple[type[Model], str], dict[str, _Subject]]:
    """Return the subjects that name rows by the model, and by the column of it that has their keys."""
    by_column: dict[tuple[type[Model], str], dict[str, _Subject]] = defaultdict(dict)
    for subject, parts in found.items():
        if parts is not None and parts.model is not None:
            column = _SEARCHED.get(parts.kind.lower()) or parts.model._meta.pk.name
            by_column[parts.model, column][subject] = parts
    return by_column


def _rows_named(model: type[Model], name: str, texts: Sequence[str]) -> list[Any]:
    """Return the row of each key in a column, or None: there is none, or its pages show no other name for it."""
    office_admin = _office_admin(model)
    if office_admin.subject_name is None:
        return [None] * len(texts)
    column: Any = model._meta.get_field(name)
    keys: list[Any] = []
    for key in texts:
        try:
            keys.append(column.to_python(key))
        except ValidationError:
            keys.append(None)
    rows = model._default_manager.select_related(*office_admin.subject_related)
    found = rows.in_bulk({key for key in keys if key is not None}, field_name=column.name)
    return [found.get(key) for key in keys]


def row_in_words(row: Any) -> str:
    """Return a row as lines about it name it: `player anna`, `wallet EUR of anna`, `round 5c2b3b3c`."""
    kind, named = str(row._meta.verbose_name), _office_admin(type(row))
    name = str(row) if named.subject_name is None else named.subject_name(row)
    return name if name.startswith(f"{kind} ") else f"{kind} {name}"


def _office_admin(model: type[Model]) -> Any:
    return admin.site._registry[model]


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
            return words_of(value)
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
