"""A table's state as JSON, both ways without loss. Pure."""

from typing import TypeVar

from apps.rounds.table_game import TableGame
from apps.tables.engine.state import Json, TableState

S = TypeVar("S")


def state_to_json(game: TableGame[S], state: TableState[S]) -> Json:
    """Return a state as a JSON object."""
    raise NotImplementedError


def state_from_json(game: TableGame[S], data: Json) -> TableState[S]:
    """Return the state that `state_to_json` wrote."""
    raise NotImplementedError
