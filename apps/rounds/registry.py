"""The installed games and their `GameSpec`s.

A game is a folder `apps/<game>/` whose `game.py` holds `GAME = GameSpec(...)`; the settings find the folders. Portal,
back office, partner API, verification and commands find games here and name none themselves (docs/new-game.md).
"""

from functools import cache
from importlib import import_module

from django.conf import settings

from apps.core.errors import NotFound
from apps.rounds.game_spec import GameSpec


@cache
def games() -> tuple[GameSpec, ...]:
    """Return all games, by the names of their folders. Models must be loaded."""
    return tuple(import_module(f"{app}.game").GAME for app in settings.GAME_APPS)


def game_ids() -> list[str]:
    """Return the games' ids on the wire."""
    return [game.id for game in games()]


def game_of(game_id: str) -> GameSpec:
    """Return the game of that id on the wire. Raises NotFound."""
    return _found(game_id, {game.id: game for game in games()})


def game_at(slug: str) -> GameSpec:
    """Return the game with the slug. Raises NotFound."""
    return _found(slug, {game.slug: game for game in games()})


def _found(name: str, known: dict[str, GameSpec]) -> GameSpec:
    if name not in known:
        raise NotFound(f"there is no game {name[:20]!r}")
    return known[name]
