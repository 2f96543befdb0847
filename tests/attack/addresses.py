"""Every address that the product answers, read from its URL resolver, and ids of existing rows."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

from tests.attack.deployment import Deployment

_PLACE: Final = re.compile(r"<(?:(\w+):)?(\w+)>")
_NO_ADDRESS: Final = "catch"
MAX_IDS: Final = 40
PLAYED_UNDER: Final = {
    "baccarat_config": "currency <> 'FUN'",
    "baccarat_odds_config": "baccarat_config_id IN (SELECT id FROM baccarat_config WHERE currency <> 'FUN')",
    "blackjack_config": "currency_id <> 'FUN'",
    "blackjack_terms": "config_id IN (SELECT id FROM blackjack_config WHERE currency_id <> 'FUN')",
}
"""Conditions on rows of configuration tables. The other parts play for FUN, so their configuration is not changed."""


class Address(NamedTuple):
    """A URL pattern. Its parameters look like `<kind:name>`."""

    template: str
    table: str
    """The table whose rows the address is about, if it is an address of a table's admin."""

    def filled(self, value: Callable[[str], str]) -> str:
        """Return the address with a value for each parameter."""
        return _PLACE.sub(lambda match: value(match[1] or "str"), self.template)


def addresses() -> Iterator[Address]:
    """Yield every address."""
    yield from _walk(get_resolver().url_patterns, "/")


def _walk(patterns: list[Any], before: str) -> Iterator[Address]:
    for entry in patterns:
        route = str(entry.pattern) if isinstance(entry.pattern, RoutePattern) else _plain(str(entry.pattern))
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, before + route)
        elif isinstance(entry, URLPattern) and _NO_ADDRESS not in str(entry.name):
            template = before + route
            yield Address(template, _table_of(template))


def _plain(expression: str) -> str:
    """Return the address of a regular expression, with its groups as parameters."""
    text = re.sub(r"\(\?P<(\w+)>[^()]*(?:\([^()]*\)[^()]*)*\)", r"<str:\1>", expression)
    return re.sub(r"\(\?:v1\|api\)", "v1", text).strip("^$").replace("\\", "")


def _table_of(template: str) -> str:
    match = re.match(r"/admin/(\w+)/(\w+)/", template)
    if match is None:
        return "game_round" if "round" in template else ""
    try:
        return str(apps.get_model(match[1], match[2])._meta.db_table)
    except LookupError:
        return ""


def ids_of(deployment: Deployment, address: Address) -> list[str]:
    """Return ids of rows of the address's table, of any partner."""
    return _ids(deployment.postgres.url("postgres"), address.table) if address.table else []


@lru_cache
def _ids(url: str, table: str) -> list[str]:
    import psycopg

    with psycopg.connect(url) as link:
        key = link.execute(
            "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
            " AND a.attnum = ANY(i.indkey) WHERE i.indrelid = %s::regclass AND i.indisprimary",
            [table],
        ).fetchall()
        query = f'SELECT "{key[0][0]}"::text FROM "{table}" WHERE {PLAYED_UNDER.get(table, "true")}'
        return [row[0] for row in link.execute(f"{query} ORDER BY 1 DESC LIMIT {MAX_IDS}")]
