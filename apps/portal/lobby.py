"""The lobby: a tile for every game and for every open live table.

The facts that all players of a partner see in a currency are counted once in `FACTS_S` seconds and cached. A player's
own facts (favourites, recent rounds) take the same few queries for any number of tiles.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from redis.exceptions import RedisError

from apps.accounts.favourites import favourite_set, favourites_of
from apps.accounts.models import Player
from apps.core.edge_rounding import edge_pct
from apps.core.errors import BadRequest, Refused
from apps.portal.authentication import PagePlayer, page_player_required
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import game_of, games
from apps.rounds.selectors import players_now
from apps.switches.selectors import SwitchesOff, switches_off
from apps.tables.models import GameTable, TableRound
from apps.tables.registry import table_game_of, table_games
from apps.tables.selectors import bots, lobby_rooms, room_row, terms_of
from apps.tables.table_creation import room_edges

PLAYING_S: Final = 120
"""Players who began a round within this time count as playing now."""
FACTS_S: Final = 5
LIVE_TABLES_SHOWN: Final = 24
RECENT_ROUNDS: Final = 60
"""The last rounds that a player's results and recently played tiles are read from."""
RESULTS_SHOWN: Final = 6
BUST_ABOVE: Final = 21
TIE: Final = "tie"
_TILE: Final = re.compile(r"game-[a-z0-9_-]{1,40}|table-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TileFacts:
    """The facts of a tile that everybody sees."""

    name: str
    title: str
    game_id: str
    table_id: UUID | None
    """None for a solo game."""
    url: str
    is_live: bool
    bet_min: Decimal | None
    """None if the partner does not offer the game in the currency."""
    bet_max: Decimal | None
    is_points: bool
    best_rtp_pct: Decimal | None
    """The highest return to player of the offered bets, in percent with two decimals; None if none is known."""
    players: int
    seats: int
    """0 for a solo game."""
    results: tuple[str, ...]
    """The last rounds of a live table, the newest last: the name of the side that won, or the dealer's total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerTile:
    """A tile as one player sees it."""

    facts: TileFacts
    game: GameSpec
    results: Sequence[str]
    """Signs of a live table's last rounds; of a solo game, whether the player's last rounds were won, lost or even."""
    is_favourite: bool
    is_recent: bool
    is_open: bool
    """Whether a round of the player is not over there. A live table's is not the player's alone, and goes on."""
    is_linked: bool
    """Whether the player's launch link opens it."""
    is_off: bool
    """Whether new bets are switched off there."""

    @property
    def is_full(self) -> bool:
        return self.facts.is_live and self.facts.players >= self.facts.seats


@dataclass(frozen=True, slots=True)
class LobbyFacts:
    """The facts that all players of a partner see in a currency, and the switches that are off."""

    tiles: tuple[TileFacts, ...]
    off: SwitchesOff


@dataclass(frozen=True, slots=True)
class _Recent:
    """A player's last rounds: names of tiles, the newest first, results of solo games, and those with an open round."""

    names: tuple[str, ...]
    results: dict[str, tuple[str, ...]]
    open_games: set[str]


def lobby_tiles(page_player: PagePlayer) -> list[PlayerTile]:
    """Return the tiles: favourites, then recently played ones, then all others."""
    recent = _recent(page_player.player)
    favourites = [] if page_player.is_unnamed else favourites_of(page_player.player)
    known = lobby_facts(page_player.player.partner_id, page_player.currency_code)
    tiles = [
        PlayerTile(
            facts=facts,
            game=game_of(facts.game_id),
            results=_signs(facts) if facts.is_live else recent.results.get(facts.game_id, ()),
            is_favourite=facts.name in favourites,
            is_recent=facts.name in recent.names,
            is_open=not facts.is_live and facts.game_id in recent.open_games,
            is_linked=page_player.game in ("", facts.game_id),
            is_off=_is_off(known.off, facts, page_player.player),
        )
        for facts in known.tiles
    ]
    wanted = [*favourites, *recent.names]
    return sorted(tiles, key=lambda tile: wanted.index(tile.facts.name) if tile.facts.name in wanted else len(wanted))


def lobby_facts(partner_id: int, currency_code: str) -> LobbyFacts:
    """Return the facts that all players of the partner see in the currency, at most `FACTS_S` seconds old."""
    key = f"lobby:{partner_id}:{currency_code}"
    try:
        kept: LobbyFacts | None = cache.get(key)
        if kept is None:
            kept = _facts_read(partner_id, currency_code)
            cache.set(key, kept, FACTS_S)
    except RedisError:
        return _facts_read(partner_id, currency_code)
    return kept


@require_POST
@never_cache
@page_player_required
def favourite(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """Keep or forget a favourite tile. A guest's are kept by the browser alone."""
    tile = request.POST.get("tile", "")
    if page_player.is_unnamed:
        raise Refused("a guest's favourites are kept by the browser")
    if not _TILE.fullmatch(tile):
        raise BadRequest("tile: the name of a tile of the lobby", field="tile")
    player = page_player.player
    shown = [each.name for each in lobby_facts(player.partner_id, page_player.currency_code).tiles]
    favourite_set(player=player, tile=tile, is_on=request.POST.get("on") == "1", shown=shown)
    return JsonResponse({"favourites": favourites_of(player)})


def _facts_read(partner_id: int, currency_code: str) -> LobbyFacts:
    since = timezone.now() - timedelta(seconds=PLAYING_S)
    players = players_now(partner_id=partner_id, since=since, excluded=bots())
    solo = [_game_facts(game, partner_id, currency_code, players.get(game.id, 0)) for game in games()]
    rooms = lobby_rooms(partner_id=partner_id, currency_code=currency_code, most=LIVE_TABLES_SHOWN)
    return LobbyFacts(
        tiles=(*solo, *(_table_facts(table) for table in rooms)),
        off=switches_off(partner_id=partner_id, currency_code=currency_code),
    )


def _game_facts(game: GameSpec, partner_id: int, currency_code: str, players: int) -> TileFacts:
    offer = game.offer(partner_id, currency_code)
    known = [each.edge for each in game.house_edges(partner_id, currency_code) if each.edge is not None]
    return TileFacts(
        name=f"game-{game.slug}",
        title=game.title,
        game_id=game.id,
        table_id=None,
        url=reverse("play", args=[game.slug]),
        is_live=False,
        bet_min=offer.bet_min if offer else None,
        bet_max=offer.bet_max if offer else None,
        is_points=False,
        best_rtp_pct=_rtp_pct(edge_pct(min(known))) if offer and known else None,
        players=players,
        seats=0,
        results=(),
    )


def _table_facts(table: GameTable) -> TileFacts:
    row, game, terms = room_row(table), table_game_of(table.game_type), terms_of(table)
    # An unknown edge has an empty text.
    known = [Decimal(each.edge.rstrip("%")) for each in room_edges(game, terms) if each.edge]
    results = [_result_name(each) for each in row["previousResults"][-RESULTS_SHOWN:]]
    return TileFacts(
        name=f"table-{table.pk}",
        title=table.name,
        game_id=game.game_id,
        table_id=table.pk,
        url=reverse("live-table", args=[table.pk]),
        is_live=True,
        bet_min=Decimal(row["minBuyin"]),
        bet_max=Decimal(row["maxBuyin"]),
        is_points=table.currency_id is None,
        best_rtp_pct=_rtp_pct(min(known)) if known else None,
        players=row["playerCount"],
        seats=row["maxPlayers"],
        results=tuple(name for name in results if name),
    )


def _is_off(off: SwitchesOff, facts: TileFacts, player: Player) -> bool:
    """Return whether the player's bets are switched off there. Tables for points take no bets of money."""
    return not facts.is_points and off.stops(player_id=player.pk, game_id=facts.game_id, table_id=facts.table_id)


def _rtp_pct(house_edge_pct: Decimal) -> Decimal:
    return (100 - house_edge_pct).quantize(Decimal("0.01"))


def _signs(facts: TileFacts) -> list[str]:
    """Return the results of a live table as signs: the first letters of the sides in the page's language, or totals.

    A tie is `=`: the name of a side may begin with its letter.
    """
    labels = next(game.bet_labels for game in table_games().values() if game.game_id == facts.game_id)
    return [
        "=" if name == TIE else gettext(labels[name])[0].upper() if name in labels else name for name in facts.results
    ]


def _result_name(result: dict[str, Any]) -> str:
    """Return the name of the side that won, or the dealer's total."""
    if winner := result.get("winner"):
        return str(winner)
    total = (result.get("dealer") or {}).get("value")
    if total is None:
        return ""
    return "✕" if int(total) > BUST_ABOVE else str(total)


def _recent(player: Player) -> _Recent:
    rounds = list(
        Round.objects.filter(player=player)
        .order_by("-started_at")
        .values_list("game", "table_round", "how_ended", "stake", "payout")[:RECENT_ROUNDS]
    )
    at_tables = [row[1] for row in rounds if row[1] is not None]
    tables: dict[UUID, UUID] = (
        dict(TableRound.objects.filter(pk__in=at_tables).values_list("pk", "table_id")) if at_tables else {}
    )
    names: dict[str, None] = {}
    results: dict[str, list[str]] = {}
    for game_id, table_round, how_ended, stake, payout in rounds:
        if table_round is not None:
            names[f"table-{tables.get(table_round)}"] = None
            continue
        names[f"game-{game_of(game_id).slug}"] = None
        shown = results.setdefault(game_id, [])
        if how_ended in (RoundEnd.PLAYED, RoundEnd.AUTO_COMPLETED) and len(shown) < RESULTS_SHOWN:
            shown.append("win" if payout > stake else "loss" if payout < stake else "push")
    return _Recent(
        names=tuple(names),
        results={game_id: tuple(reversed(shown)) for game_id, shown in results.items()},
        open_games={row[0] for row in rounds if row[1] is None and row[2] == RoundEnd.OPEN},
    )
