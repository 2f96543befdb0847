"""The installed games and their `GameSpec`s.

A game is a folder `apps/<game>/` whose `game.py` holds `GAME = GameSpec(...)`; the settings find the folders. Portal,
back office, partner API, verification and commands find games here and name none themselves (docs/new-game.md).
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from apps.core.errors import NotFound
from apps.rounds.explanation import Explanation
from apps.rounds.game_spec import GameSpec
from apps.rounds.table_game import TableGame


@cache
def games() -> tuple[GameSpec, ...]:
    """Return all games, by the names of their folders. Models must be loaded."""
    return tuple(import_module(f"{app}.game").GAME for app in settings.GAME_APPS)


def game_ids() -> list[str]:
    """Return the games' ids on the wire."""
    return [game.id for game in games()]


def game_title(game_id: str) -> str:
    """Return the game's name for people; the id of a removed game is returned unchanged."""
    return {game.id: game.title for game in games()}.get(game_id, game_id)


def bet_labels(game_id: str) -> Mapping[str, str]:
    """Return the names of the game's bets for people, by their names on the wire; none for a removed game."""
    return {game.id: game.bet_labels for game in games()}.get(game_id, {})


def result_labels(game_id: str) -> Mapping[str, str]:
    """Return the names of the results of the game's bets for people, by those in pay tables."""
    return {game.id: game.result_labels for game in games()}.get(game_id, {})


def game_of(game_id: str) -> GameSpec:
    """Return the game of that id on the wire. Raises NotFound."""
    return _found(game_id, {game.id: game for game in games()})


def game_at(slug: str) -> GameSpec:
    """Return the game with the slug. Raises NotFound."""
    return _found(slug, {game.slug: game for game in games()})


@cache
def table_games_list() -> tuple[TableGame[Any], ...]:
    """Return the `TABLE` of each game with a `table.py`."""
    return tuple(import_module(f"{app}.table").TABLE for app in settings.GAME_APPS if find_spec(f"{app}.table"))


@cache
def table_explanation() -> type[Explanation]:
    """Return the explanation of seats' rounds at tables, whose app is above the games. Models must be loaded."""
    explanation: type[Explanation] = import_string(settings.TABLE_EXPLANATION)
    return explanation


def _found(name: str, known: dict[str, GameSpec]) -> GameSpec:
    if name not in known:
        raise NotFound(f"there is no game {name[:20]!r}")
    return known[name]
