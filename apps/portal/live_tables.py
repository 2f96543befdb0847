"""The pages of live tables: their list, one table, several side by side.

The page's scripts read a table by the table protocol (docs/tables.md), like any other client.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.staticfiles.finders import find
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from apps.core import json
from apps.core.money import plain
from apps.portal.authentication import PagePlayer, page_player_required, socket_origin
from apps.portal.lobby import lobby_facts
from apps.portal.selectors import wallet_of
from apps.rounds.registry import game_of, games
from apps.rounds.table_game import TableGame
from apps.switches.selectors import switches_off
from apps.tables.models import GameTable
from apps.tables.registry import table_game_of, table_games
from apps.tables.selectors import open_tables, room_row, tables_of

MAX_SIDE_BY_SIDE: Final = 6
SOCKET_PATH: Final = "/ws/tables"


@require_GET
@never_cache
@page_player_required
def table_list(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """The open tables; with `open`, ids separated by commas, those tables side by side."""
    table_ids = _ids_read(request.GET.get("open", ""))
    if len(table_ids) == 1:
        return redirect("live-table", table_ids[0])
    if table_ids:
        return _tables_page(request, page_player, table_ids)
    beside = _ids_read(request.GET.get("beside", ""))
    page = _page_data(request, page_player) | {
        "beside": [str(table_id) for table_id in beside],
        "games": {name: _form_data(game) for name, game in table_games().items()},
        "off": _ids_off(page_player, open_tables(page_player.player.partner_id, page_player.currency_code)),
    }
    context = {"page": page, "games_here": table_games().values(), "places": _places(page_player, beside)}
    return render(request, "tables/table_list.html", context)


@require_GET
@never_cache
@page_player_required
def table(request: HttpRequest, page_player: PagePlayer, table_id: UUID) -> HttpResponse:
    """One table."""
    return _tables_page(request, page_player, [table_id])


@require_GET
def check_round(request: HttpRequest) -> HttpResponse:
    """Deal any round of a table again, in the browser alone."""
    return render(request, "tables/check_round.html")


def _tables_page(request: HttpRequest, page_player: PagePlayer, table_ids: list[UUID]) -> HttpResponse:
    tables = tables_of(
        partner_id=page_player.player.partner_id, currency_code=page_player.currency_code, table_ids=table_ids
    )
    known = {each.pk: each for each in tables}
    here = [table_game_of(name) for name in dict.fromkeys(each.game_type for each in tables)]
    page = _page_data(request, page_player) | {
        "tables": [str(table_id) for table_id in table_ids],
        "games": {game.game_type: _game_data(game) for game in here},
        "rooms": {str(each.pk): _room_text(each) for each in tables},
        "off": _ids_off(page_player, tables),
    }
    context = {
        "page": page,
        "is_one": len(table_ids) == 1,
        "places": [{"id": table_id, "table": known.get(table_id)} for table_id in table_ids],
        "styles": list(dict.fromkeys(path for game in here for path in _styles(game))),
        "games_here": [game_of(game.game_id) for game in here],
    }
    return render(request, "tables/table.html", context)


def _page_data(request: HttpRequest, page_player: PagePlayer) -> dict[str, Any]:
    """Return the data that the scripts of the pages need."""
    wallet = wallet_of(page_player)
    return {
        "tokenUrl": "/api/auth/token",
        "token": page_player.token,
        "player": page_player.page_id,
        "socketUrl": f"{socket_origin(request)}{SOCKET_PATH}",
        "loginUrl": f"{reverse('account_login')}?{urlencode({'next': request.get_full_path()})}",
        "lobbyUrl": reverse("live-tables"),
        # The figures of a session are those of all games.
        "panelUrl": reverse("panel", args=[games()[0].slug]),
        "verifyUrl": f"{reverse('how-to-check')}#tables",
        "currency": wallet.currency_id,
        "decimals": wallet.currency.decimals,
        "balance": plain(wallet.balance),
    }


def _places(page_player: PagePlayer, beside: list[UUID]) -> list[dict[str, str]]:
    """Return the names and addresses of the first tables of the list, as the page's script shows them later."""
    facts = lobby_facts(page_player.player.partner_id, page_player.currency_code).tiles
    shown = [
        each
        for each in facts
        if each.table_id and each.table_id not in beside and page_player.game in ("", each.game_id)
    ]
    if not beside:
        return [{"name": each.title, "url": each.url} for each in shown]
    ids = ",".join(str(table_id) for table_id in beside)
    return [{"name": each.title, "url": f"{reverse('live-tables')}?open={ids},{each.table_id}"} for each in shown]


def _ids_off(page_player: PagePlayer, tables: Iterable[GameTable]) -> list[str]:
    """Return the ids of the tables where the player's bets are switched off. Tables for points take no bets of
    money."""
    player = page_player.player
    off = switches_off(partner_id=player.partner_id, currency_code=page_player.currency_code)
    if not off.keys:
        return []
    return [
        str(each.pk)
        for each in tables
        if each.currency_id is not None
        and off.stops(player_id=player.pk, game_id=table_game_of(each.game_type).game_id, table_id=each.pk)
    ]


def _room_text(table: GameTable) -> str:
    """Return the table's row in the lobby as JSON: the page shows the table before it is connected."""
    return json.encode({name: value for name, value in room_row(table).items() if name != "previousResults"}).decode()


def _form_data(game: TableGame[Any]) -> dict[str, Any]:
    """Return a game's data for the list of tables and for the form of a player's own table."""
    return {
        "title": gettext(game.title),
        "bets": {name: gettext(label) for name, label in game.bet_labels.items()},
        "model": game.model.value,
        "seatsMax": game.seats_max,
        "choices": {name: list(choices) for name, choices in game.rule_choices.items()},
        "rules": _points_rules(game),
    }


def _game_data(game: TableGame[Any]) -> dict[str, Any]:
    """Return a game's data for the scripts of a table: words, and the module that draws its rounds. The bets are in the
    order of their spots.
    """
    return {
        "title": gettext(game.title),
        "bets": {name: gettext(game.bet_labels[name]) for name in game.bet_places},
        "sides": list(getattr(game, "sides", ())),  # games of one deal have them
        "hasAdvice": game_of(game.game_id).table_advice is not None,
        "view": static(_own_file(game, "table-view.js") or "tables/js/sides-view.js"),
    }


def _styles(game: TableGame[Any]) -> list[str]:
    """Return the style sheets of a game's live tables; games with sides also have the roads."""
    own = _own_file(game, "table-view.css")
    return [*(["tables/css/roads.css"] if hasattr(game, "sides") else []), *([own] if own else [])]


def _points_rules(game: TableGame[Any]) -> dict[str, Any]:
    """Return the default options of a points table, as the initial values of a form."""
    return dict(game.terms_read(is_points=True, decimals=0, contribution_required=False).rules)


@cache
def _own_file(game: TableGame[Any], name: str) -> str:
    """Return the path of a static file in the game's own folder, empty if there is none. A game without a
    `table-view.js` has its cards laid out on sides.
    """
    path = f"{game_of(game.game_id).slug}/{name}"
    return path if find(path) else ""


def _ids_read(text: str) -> list[UUID]:
    """Return the ids of a text with commas, each once. Raises Http404 for any other text."""
    try:
        found = list(dict.fromkeys(UUID(part) for part in text.split(",") if part))
    except ValueError as error:
        raise Http404("no table has such an id") from error
    if len(found) > MAX_SIDE_BY_SIDE:
        raise Http404(f"at most {MAX_SIDE_BY_SIDE} tables are shown side by side")
    return found
