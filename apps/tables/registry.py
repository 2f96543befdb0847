"""The games that have tables: each folder of a game with a `table.py` that holds `TABLE` (docs/tables.md)."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from apps.core.errors import shortened
from apps.rounds.registry import table_games_list
from apps.rounds.table_game import TableGame
from apps.tables.errors import GameNotFound


@cache
def table_games() -> Mapping[str, TableGame[Any]]:
    """Return the games by their names in the protocol (`gameType`), in the order of their folders."""
    return MappingProxyType({game.game_type: game for game in table_games_list()})


def table_game_of(game_type: str) -> TableGame[Any]:
    """Return the game of that name in the protocol. Raises GameNotFound."""
    game = table_games().get(game_type)
    if game is None:
        known = ", ".join(table_games())
        raise GameNotFound(
            f"gameType: there is no table game {shortened(game_type)!r}; there is {known}", field="gameType"
        )
    return game
