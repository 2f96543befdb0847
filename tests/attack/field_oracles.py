"""Field oracles: lists that might be asked about a column by filtering, sorting or searching by it.

A list takes what its page offers. Anything else is refused, or answered with the rows that there are without it.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.contrib import admin
from django.db.models import Model

from tests.attack.cast import RIVIERA, Cast
from tests.attack.client import Browser
from tests.attack.report import Part

HOPS: Final = 2
FILTERS_OF_A_ROLE: Final = 170
LOOKUPS: Final = ("__startswith", "__gt", "__regex", "__isnull", "__contains", "__in", "__iexact", "__range", "")
NOBODY: Final = "zzzz~"
"""What no column begins with, holds or comes after."""
SECRETS: Final = {
    "account_user": "password", "api_key": "key_hash", "game_session": "token_hash", "django_session": "session_key",
}  # fmt: skip
SHOWN: Final = 8
"""So many characters of a secret are searched for."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as one person sees it without any parameter."""

    model: type[Model]
    path: str
    status: int
    rows: frozenset[str]
    offered: frozenset[str]
    """Parameters that its page's forms and links send."""
    orders: frozenset[str]


def run(cast: Cast, part: Part, chance: random.Random, scale: float) -> None:
    """Ask every list as each role, by columns and relations, in orders and for texts."""
    people = {name: cast.staff[name] for name in ("operator", "auditor", "riviera-staff")}
    super_user_has_no_way_in(cast, part)
    for who, browser in people.items():
        lists = [listing_of(browser, model) for model in admin.site._registry]
        seen = [listing for listing in lists if listing.status == 200 and listing.rows]
        part.expect(len(seen) > 5, f"{who} sees no lists")
        for listing in chance.choices(seen, k=max(40, round(FILTERS_OF_A_ROLE * scale))):
            filter_try(part, chance, who, browser, listing)
        for listing in lists:
            if listing.rows or listing.status != 200:  # an empty list's page has no links to sort it
                orders_try(part, chance, who, browser, listing)
            searches_try(cast, part, who, browser, listing)
        completions_try(part, chance, who, browser)
    partner_list_try(cast, part, chance)


def super_user_has_no_way_in(cast: Cast, part: Part) -> None:
    """Django's own flags open nothing: a log-in that has them, and the role of a player."""
    from apps.accounts.models import User

    user, _ = User.objects.get_or_create(
        username="super", defaults={"email": "super@demo.example", "is_superuser": True, "is_staff": True}
    )
    user.set_password(cast.stage.password)
    user.save()
    browser = cast.browser("super", cast.stage.password)
    for model in admin.site._registry:
        status = browser.get(list_path(model)).status
        part.saw(f"super user: {status}")
        part.expect(status in (302, 403), f"a super user without a role sees {list_path(model)}: {status}")


def listing_of(browser: Browser, model: type[Model]) -> Listing:
    """Return the list as it is without any parameter."""
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
    """Return the ids of the rows that a list's page leads to."""
    return frozenset(re.findall(rf"{path}([^/\"?]+)/change/", text))


def paths_of(model: type[Model], hops: int) -> Iterator[str]:
    """Yield the lookups of every column and relation, those over `hops` relations included, forth and back."""
    for field in model._meta.get_fields():
        yield field.name
        if hops and field.is_relation and field.related_model:
            for rest in paths_of(field.related_model, hops - 1):
                yield f"{field.name}__{rest}"


def filter_try(part: Part, chance: random.Random, who: str, browser: Browser, listing: Listing) -> None:
    """Filter a list by a column, near or far; each second time by one of its own table's."""
    hops = chance.choice([0, 1, HOPS])
    parameter = chance.choice(list(paths_of(listing.model, hops))) + chance.choice(LOOKUPS)
    if parameter in listing.offered:
        return
    value = "1" if parameter.endswith("__isnull") else NOBODY
    if hasattr(admin.site.get_model_admin(listing.model), "resource") and chance.random() < 0.3:
        status = browser.get(f"{listing.path}export/?{urlencode({parameter: value})}").status
        part.saw(f"export: {status}")
        part.expect(status in (400, 403), f"{who}, {listing.path}export/?{parameter}={value}: {status}")
    answer = browser.get(f"{listing.path}?{urlencode({parameter: value})}")
    part.saw(f"filter: {answer.status}")
    tells = answer.status == 200 and rows_in(listing.path, answer.text) != listing.rows
    part.expect(answer.status in (200, 400), f"{who}, {listing.path}?{parameter}={value}: {answer.status}")
    part.expect(not tells, f"{who}, {listing.path}?{parameter}={value} filters the list")


def orders_try(part: Part, chance: random.Random, who: str, browser: Browser, listing: Listing) -> None:
    """Sort a list by columns that its page offers no order by, and by names."""
    for order in (str(chance.randrange(20)), f"-{chance.randrange(20)}", "password", "-key_hash", "1.1", "999"):
        answer = browser.get(f"{listing.path}?o={order}")
        part.saw(f"order: {answer.status}")
        may_be = answer.status != 200 or set(order.replace("-", "").split(".")) <= listing.orders
        part.expect(may_be and answer.status in (200, 400, 403), f"{who}, {listing.path}?o={order}: {answer.status}")


def searches_try(cast: Cast, part: Part, who: str, browser: Browser, listing: Listing) -> None:
    """Search a list for the beginning of what is secret."""
    with cast.stage.database() as link:
        for table, column in SECRETS.items():
            row = link.execute(f"SELECT {column} FROM {table} ORDER BY 1 LIMIT 1").fetchone()
            if row is None:
                continue
            answer = browser.get(f"{listing.path}?{urlencode({'q': row[0][:SHOWN]})}")
            part.saw(f"search: {answer.status}")
            found = rows_in(listing.path, answer.text) if answer.status == 200 else frozenset()
            part.expect(not found, f"{who}, {listing.path}: a search for the start of {table}.{column} finds {found}")


def completions_try(part: Part, chance: random.Random, who: str, browser: Browser) -> None:
    """Ask the search of filters for rows by other relations than those of filters."""
    relations = [
        (model, field.name)
        for model in admin.site._registry
        for field in model._meta.get_fields()
        if field.is_relation and not field.auto_created
    ]
    for model, name in chance.sample(relations, min(len(relations), 20)):
        query = {"app_label": model._meta.app_label, "model_name": model._meta.model_name, "field_name": name}
        answer = browser.get(f"/admin/autocomplete/?{urlencode(query | {'term': 'a'})}")
        part.saw(f"completion: {answer.status}")
        part.expect(answer.status in (200, 400, 403), f"{who}, completion of {query}: {answer.status}")


def partner_list_try(cast: Cast, part: Part, chance: random.Random) -> None:
    """Filter the rounds of a partner's own system by columns of ours."""
    from apps.rounds.models import Round

    system = cast.systems[RIVIERA]
    ask = partial(system.at(cast.stage.web[0].port).get)
    before = ask("/v1/rounds?limit=20").body
    for path in chance.sample(list(paths_of(Round, 1)), 20):
        parameter = path + chance.choice(LOOKUPS[:-1])
        answer = ask(f"/v1/rounds?limit=20&{urlencode({parameter: NOBODY})}")
        part.saw(f"rounds: {answer.status}")
        part.expect(
            answer.status == 400 or answer.body == before, f"/v1/rounds?{parameter}: {answer.status} other rows"
        )
