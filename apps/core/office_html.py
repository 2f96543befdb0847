"""HTML parts of the back office's pages: tables of data, links, stored JSON, times, and names in words."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_WORDS: Final[dict[str, str]] = {}
"""Words for names."""
_VALUES: Final[dict[str, str]] = {}
"""Those whose names are shown by them as values too."""

NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})

MAX_UNWRAPPED_CHARS: Final = 40


def table_html(headers: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "None yet.") -> SafeString:
    """Return a table; every cell is escaped unless it is marked as safe. Long plain texts are wrapped."""
    lines = (format_html_join("", "<td{}>{}</td>", ((_wrapped(cell), cell) for cell in row)) for row in rows)
    body = format_html_join("", "<tr>{}</tr>", ((line,) for line in lines))
    if not body:
        return format_html('<p class="empty">{}</p>', empty)
    head = format_html_join("", '<th scope="col">{}</th>', ((header,) for header in headers))
    # A wide table scrolls sideways in a narrow window, for the keyboard too; so it is a region with a name.
    return format_html(
        '<div class="office-table" tabindex="0" role="region" aria-label="{}"><table><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>",
        f"Table of {', '.join(headers)}",
        head,
        body,
    )


def _wrapped(cell: object) -> SafeString:
    is_long = isinstance(cell, str) and not isinstance(cell, SafeString) and len(cell) > MAX_UNWRAPPED_CHARS
    return SafeString(' class="wrap"' if is_long else "")


def admin_name(model: type[Model]) -> str:
    """Return the beginning of the names of a table's admin URLs."""
    return model._meta.label_lower.replace(".", "_")


def link_html(name: str, pk: object, text: object) -> SafeString:
    """Return a link to a row's page; `name` is the admin's name, such as `rounds_round`."""
    return format_html('<a href="{}">{}</a>', reverse(f"admin:{name}_change", args=[pk]), text)


def raw_html(words: object, raw: str) -> SafeString:
    """Return words for people with the raw form, as it is on the wire, behind them as a tool tip."""
    return format_html('<span title="{}">{}</span>', raw, words)


def data_html(
    value: Mapping[str, Any], names: Mapping[str, str] = NO_NAMES, *, shown: Mapping[str, object] = NO_NAMES
) -> SafeString:
    """Return stored data as a table in words; the raw JSON is one click away. `names` are words for names of the wire,
    `shown` what the table has in place of values.

    Without colours: the theme's are inline styles, which the content policy forbids.
    """
    rows = [
        (names.get(name) or in_words(name), shown.get(name) or _cell(member, names)) for name, member in value.items()
    ]
    return format_html("{}{}", table_html(("what", "value"), rows, empty="Nothing."), raw_data_html(value))


def raw_data_html(value: Mapping[str, Any]) -> SafeString:
    """Return stored data as JSON, folded away."""
    return format_html(
        '<details class="office-raw"><summary>Raw data</summary><pre>{}</pre></details>',
        json.dumps(value, indent=2, sort_keys=True),
    )


def lines_html(value: Mapping[str, Any], names: Mapping[str, str] = NO_NAMES) -> SafeString:
    """Return stored data in words, a line for each value."""
    return format_html_join(
        "",
        "<div>{}: {}</div>",
        ((names.get(name) or in_words(name), _cell(member, names)) for name, member in value.items()),
    )


def headline(name: object) -> str:
    """Return a name with a capital letter first; `API keys` keeps its others."""
    text = str(name)
    return text[:1].upper() + text[1:]


def words_register(words: Mapping[str, str], *, of_values: bool = False) -> None:
    """Have names of the wire shown by these words, such as bets by their labels.

    With `of_values` they are shown so where they are values too. Such a name must be one that nobody would give to a
    table or a log-in, since a value may be anybody's text.
    """
    _WORDS.update(words)
    if of_values:
        _VALUES.update(words)


def words_of(value: str) -> str:
    """Return the words that are registered for a value, or the value itself."""
    return _VALUES.get(value, value)


def in_words(name: str) -> str:
    """Return a name of code or the wire in words: `suitedTrips` and `suited_trips` are `suited trips`. Words that are
    registered for the name, or for its part before a comma, take its place."""
    named, comma, rest = name.partition(", ")
    if named in _WORDS:
        return f"{_WORDS[named]}{comma}{rest}"
    return _CAPITAL.sub(" ", name.replace("_", " ")).strip().lower()


def act_in_words(action: str) -> str:
    """Return an act of the audit in words: `table.create` is `table create`."""
    return in_words(action.replace(".", " "))


def _cell(value: Any, names: Mapping[str, str]) -> object:
    match value:
        case bool():
            return "yes" if value else "no"
        case None | "":
            return "-"
        case dict():
            return lines_html(value, names)
        case list():
            between = "" if any(isinstance(each, dict) for each in value) else ", "  # a dict is a line for each value
            return format_html_join(between, "{}", ((_cell(each, names),) for each in value)) or "-"
        case str():
            return words_of(value)
        case _:
            return value


def time_html(time: datetime | None) -> SafeString:
    """Return a time in UTC to the second, on one line; `-` for none."""
    return format_html('<time class="nowrap">{}</time>', "-" if time is None else f"{time:%Y-%m-%d %H:%M:%S}")
