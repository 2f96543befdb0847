"""What a switch is of, found by the name that people know it by."""

from collections.abc import Callable, Iterable
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.accounts.models import Player
from apps.core.errors import BadRequest
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.registry import game_title, games
from apps.switches.models import SwitchScope
from apps.tables.models import GameTable

OFFERED: Final = 200
"""The most names of a scope that the form offers; others are typed in full."""
SHOWN: Final = 5
_HASH_CHARACTERS: Final = 8
_MAX_ID: Final = 2**63


def key_of_name(scope: SwitchScope, text: str) -> str:
    """Return the key of the only row of this name: a game's title, a partner's short name, `partner/reference` of a
    player, the beginning of a pay table's hash, `partner/name` of a table; without the partner if one alone has the
    name. A row's number is a name too.

    Raises BadRequest that names the rows if there are several, and those whose names begin with it if there is none.
    """
    text = text.strip()
    if scope is SwitchScope.EVERYTHING:
        return text
    if not text:
        raise BadRequest(f"key: choose a {scope.label}", field="key")
    find = _FINDERS[scope]
    found = find(text, False)
    if len(found) == 1:
        return next(iter(found))
    near = found or find(text, True)
    there = f"there are several: {_listed(near)}" if found else f"there is no {scope.label} {text!r}"
    hint = f"; names that begin with it: {_listed(near)}" if near and not found else ""
    raise BadRequest(f"key: {there}{hint}", field="key")


def names_offered() -> list[tuple[str, str]]:
    """Return the names of games, partners, tables and pay tables that the form offers, each with its scope. Players are
    too many."""
    partners = Partner.objects.order_by("slug").values_list("slug", "name")[:OFFERED]
    tables = GameTable.objects.order_by("partner__slug", "name").values_list("partner__slug", "name")[:OFFERED]
    in_use = PayTable.objects.filter(uses__ends=None, uses__end=None).distinct().order_by("game", "hash")
    return [
        *((game.title, "game") for game in games()),
        *((slug, f"partner {name}") for slug, name in partners),
        *((f"{slug}/{name}", "table") for slug, name in tables),
        *((row.hash[:_HASH_CHARACTERS], f"pay table of {game_title(row.game)}") for row in in_use[:OFFERED]),
    ]


def _games(text: str, is_begin: bool) -> dict[str, str]:
    """Return the games of that name by their ids, or those whose names begin with it."""
    typed = text.casefold()
    return {
        game.id: game.title
        for game in games()
        for name in (game.id, game.title.casefold())
        if (name.startswith(typed) if is_begin else name == typed)
    }


def _paytables(text: str, is_begin: bool) -> dict[str, str]:
    by_hash = Q(hash__startswith=text.lower()) if is_begin or len(text) >= _HASH_CHARACTERS else Q(pk__in=[])
    rows = PayTable.objects.filter(by_hash | _numbered(text))
    return {str(row.pk): f"{row.hash[:_HASH_CHARACTERS]} (number {row.pk})" for row in rows[: SHOWN + 1]}


def _partners(text: str, is_begin: bool) -> dict[str, str]:
    how = "istartswith" if is_begin else "iexact"
    rows = Partner.objects.filter(Q(**{f"slug__{how}": text}) | Q(**{f"name__{how}": text}) | _numbered(text))
    return {str(row.pk): f"{row.slug} (number {row.pk})" for row in rows.order_by("slug")[: SHOWN + 1]}


def _players(text: str, is_begin: bool) -> dict[str, str]:
    rows = _of_partner(Player.objects.all(), text, "reference", "startswith" if is_begin else "exact")
    ordered = rows.select_related("partner").order_by("partner__slug", "reference")
    return {str(row.pk): f"{row.partner.slug}/{row.reference} (number {row.pk})" for row in ordered[: SHOWN + 1]}


def _tables(text: str, is_begin: bool) -> dict[str, str]:
    rows = _of_partner(GameTable.objects.all(), text, "name", "istartswith" if is_begin else "iexact")
    ordered = rows.select_related("partner").order_by("partner__slug", "name")
    return {str(row.pk): f"{row.partner.slug}/{row.name} ({row.pk})" for row in ordered[: SHOWN + 1]}


def _of_partner(rows: "QuerySet[Any]", text: str, column: str, how: str) -> "QuerySet[Any]":
    """Return the rows of that name, of any partner or of the one in front of a slash, and the row of that number."""
    slug, slash, name = text.partition("/")
    named = Q(**{f"{column}__{how}": text})
    if slash:
        named |= Q(**{"partner__slug__iexact": slug, f"{column}__{how}": name})
    return rows.filter(named | (_identified(text) if rows.model is GameTable else _numbered(text)))


def _numbered(text: str) -> Q:
    is_number = text.isascii() and text.isdecimal() and int(text) < _MAX_ID
    return Q(pk=int(text)) if is_number else Q(pk__in=[])


def _identified(text: str) -> Q:
    try:
        return Q(pk=UUID(text))
    except ValueError:
        return Q(pk__in=[])


def _listed(found: dict[str, str]) -> str:
    names: Iterable[str] = list(found.values())[:SHOWN]
    return ", ".join(names) + (", ..." if len(found) > SHOWN else "")


_FINDERS: Final[dict[SwitchScope, Callable[[str, bool], dict[str, str]]]] = {
    SwitchScope.GAME: _games,
    SwitchScope.PAY_TABLE: _paytables,
    SwitchScope.PARTNER: _partners,
    SwitchScope.PLAYER: _players,
    SwitchScope.TABLE: _tables,
}
