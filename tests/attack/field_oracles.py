"""Field oracles: filters, orders and searches of a list that would tell the values of a column.

A list accepts what its page offers. It refuses anything else, or ignores it and shows the unfiltered rows.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.contrib import admin
from django.db.models import Model

from tests.attack.attack_clients import RIVIERA, AttackClients
from tests.attack.client import Browser
from tests.attack.report import Part

HOPS: Final = 2
FILTERS_OF_A_ROLE: Final = 170
MIN_FILTERS: Final = 20
MIN_LISTS: Final = 6
"""The fewest lists that each role opens, sorts and searches."""
LOOKUPS: Final = ("__startswith", "__gt", "__regex", "__isnull", "__contains", "__in", "__iexact", "__range", "")
NOBODY: Final = "zzzz~"
"""A value that no column contains."""
SECRETS: Final = {
    "account_user": "password", "api_key": "key_hash", "game_session": "token_hash", "django_session": "session_key",
}  # fmt: skip
SHOWN: Final = 8
"""Length of the prefix of a secret that is searched for."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as one user sees it without parameters."""

    model: type[Model]
    path: str
    status: int
    rows: frozenset[str]
    offered: frozenset[str]
    """Parameters that the forms and links of its page send."""
    orders: frozenset[str]


def run(clients: AttackClients, part: Part, chance: random.Random, scale: float) -> None:
    """Filter, sort and search the lists as each role: every list from scale 1 on, and a share of the lists below it.

    Below scale 1 the three roles open other lists, and each secret is searched for in a share of them.
    """
    people = {name: clients.staff[name] for name in ("operator", "auditor", "riviera-staff")}
    super_user_has_no_way_in(clients, part)
    models = chance.sample(list(admin.site._registry), len(admin.site._registry))
    for number, (who, browser) in enumerate(people.items()):
        first = len(models) * number // len(people)
        lists = lists_open(browser, models[first:] + models[:first], max(MIN_LISTS, round(len(models) * scale)))
        seen = [listing for listing in lists if listing.rows]
        part.expect(len(seen) > 5, f"{who} sees no list")
        for listing in chance.choices(seen, k=max(MIN_FILTERS, round(FILTERS_OF_A_ROLE * scale))):
            filter_try(part, chance, who, browser, listing)
        for place, listing in enumerate(lists):
            if listing.rows or listing.status != 200:  # the page of an empty list has no links that sort it
                orders_try(part, chance, who, browser, listing)
            secrets = [list(SECRETS)[place % len(SECRETS)]] if scale < 1 else list(SECRETS)
            searches_try(clients, part, who, browser, listing, secrets)
        completions_try(part, chance, who, browser)
    partner_list_try(clients, part, chance)


def lists_open(browser: Browser, models: Iterable[type[Model]], least: int) -> list[Listing]:
    """Open the models' lists one after the other, until `least` of them show rows."""
    lists: list[Listing] = []
    for model in models:
        if sum(bool(listing.rows) for listing in lists) >= least:
            break
        lists.append(listing_of(browser, model))
    return lists


def super_user_has_no_way_in(clients: AttackClients, part: Part) -> None:
    """`is_staff` and `is_superuser` alone open nothing: a user with both flags and without a staff role sees no
    list."""
    from apps.accounts.models import User

    user, _ = User.objects.get_or_create(
        username="super", defaults={"email": "super@demo.example", "is_superuser": True, "is_staff": True}
    )
    user.set_password(clients.deployment.password)
    user.save()
    browser = clients.browser("super", clients.deployment.password)
    for model in admin.site._registry:
        status = browser.get(list_path(model)).status
        part.attempt_add(f"super user: {status}")
        part.expect(status in (302, 403), f"a superuser without a role sees {list_path(model)}: {status}")


def listing_of(browser: Browser, model: type[Model]) -> Listing:
    """Return the list as it is without parameters."""
    path = list_path(model)
    answer = browser.get(path)
    text = unescape(answer.text)
    links = [parse_qsl(urlsplit(link).query, keep_blank_values=True) for link in re.findall(r'href="(\?[^"]*)"', text)]
    names = set(re.findall(r'<(?:input|select)[^>]* name="([^"]+)"', text))
    return Listing(
        model=model,
        path=path,
        status=answer.status,
        rows=rows_in(path, text),
        offered=frozenset(names | {name for link in links for name, _ in link}),
        orders=frozenset(
            term.lstrip("-") for link in links for name, value in link if name == "o" for term in value.split(".")
        ),
    )


def list_path(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def rows_in(path: str, text: str) -> frozenset[str]:
    """Return the ids of the rows that the list's page links to."""
    return frozenset(re.findall(rf"{path}([^/\"?]+)/change/", text))


def paths_of(model: type[Model], hops: int) -> Iterator[str]:
    """Yield the lookups of every column and relation, over at most `hops` relations in either direction."""
    for field in model._meta.get_fields():
        yield field.name
        if hops and field.is_relation and field.related_model:
            for rest in paths_of(field.related_model, hops - 1):
                yield f"{field.name}__{rest}"


def filter_try(part: Part, chance: random.Random, who: str, browser: Browser, listing: Listing) -> None:
    """Filter a list by a random column. Every second time the column is one of the list's own table."""
    hops = chance.choice([0, 1, HOPS])
    parameter = chance.choice(list(paths_of(listing.model, hops))) + chance.choice(LOOKUPS)
    if parameter in listing.offered:
        return
    value = "1" if parameter.endswith("__isnull") else NOBODY
    if hasattr(admin.site.get_model_admin(listing.model), "resource") and chance.random() < 0.3:
        status = browser.get(f"{listing.path}export/?{urlencode({parameter: value})}").status
        part.attempt_add(f"export: {status}")
        part.expect(status in (400, 403), f"{who}, {listing.path}export/?{parameter}={value}: {status}")
    answer = browser.get(f"{listing.path}?{urlencode({parameter: value})}")
    part.attempt_add(f"filter: {answer.status}")
    tells = answer.status == 200 and rows_in(listing.path, answer.text) != listing.rows
    part.expect(answer.status in (200, 400), f"{who}, {listing.path}?{parameter}={value}: {answer.status}")
    part.expect(not tells, f"{who}, {listing.path}?{parameter}={value} filters the list")


def orders_try(part: Part, chance: random.Random, who: str, browser: Browser, listing: Listing) -> None:
    """Sort a list by columns that its page does not offer, by number and by name."""
    for order in (str(chance.randrange(20)), f"-{chance.randrange(20)}", "password", "-key_hash", "1.1", "999"):
        answer = browser.get(f"{listing.path}?o={order}")
        part.attempt_add(f"order: {answer.status}")
        may_be = answer.status != 200 or set(order.replace("-", "").split(".")) <= listing.orders
        part.expect(may_be and answer.status in (200, 400, 403), f"{who}, {listing.path}?o={order}: {answer.status}")


def searches_try(
    clients: AttackClients, part: Part, who: str, browser: Browser, listing: Listing, secrets: Sequence[str]
) -> None:
    """Search a list for the prefix of a secret of each of these tables."""
    with clients.deployment.database() as link:
        for table in secrets:
            column = SECRETS[table]
            row = link.execute(f"SELECT {column} FROM {table} ORDER BY 1 LIMIT 1").fetchone()
            if row is None:
                continue
            answer = browser.get(f"{listing.path}?{urlencode({'q': row[0][:SHOWN]})}")
            part.attempt_add(f"search: {answer.status}")
            found = rows_in(listing.path, answer.text) if answer.status == 200 else frozenset()
            part.expect(not found, f"{who}, {listing.path}: a search for the start of {table}.{column} finds {found}")


def completions_try(part: Part, chance: random.Random, who: str, browser: Browser) -> None:
    """Ask the filters' autocomplete for relations that no filter has."""
    relations = [
        (model, field.name)
        for model in admin.site._registry
        for field in model._meta.get_fields()
        if field.is_relation and not field.auto_created
    ]
    for model, name in chance.sample(relations, min(len(relations), 20)):
        query = {"app_label": model._meta.app_label, "model_name": model._meta.model_name, "field_name": name}
        answer = browser.get(f"/admin/autocomplete/?{urlencode(query | {'term': 'a'})}")
        part.attempt_add(f"completion: {answer.status}")
        part.expect(answer.status in (200, 400, 403), f"{who}, completion of {query}: {answer.status}")


def partner_list_try(clients: AttackClients, part: Part, chance: random.Random) -> None:
    """Filter the partner API's rounds by columns that it does not document."""
    from apps.rounds.models import Round

    system = clients.systems[RIVIERA]
    ask = partial(system.at(clients.deployment.web[0].port).get)
    before = ask("/v1/rounds?limit=20").body
    for path in chance.sample(list(paths_of(Round, 1)), 20):
        parameter = path + chance.choice(LOOKUPS[:-1])
        answer = ask(f"/v1/rounds?limit=20&{urlencode({parameter: NOBODY})}")
        part.attempt_add(f"rounds: {answer.status}")
        part.expect(
            answer.status == 400 or answer.body == before, f"/v1/rounds?{parameter}: {answer.status} other rows"
        )
