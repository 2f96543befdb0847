"""A table's state as JSON, both ways without loss. Pure."""

from typing import Any, TypeVar, cast

import msgspec

from apps.rounds.table_game import TableGame, TableTerms
from apps.tables.engine.state import Json, TableRoundState, TableState

S = TypeVar("S")


def state_to_json(game: TableGame[S], state: TableState[S]) -> Json:
    """Return a state as a JSON object."""
    play = None if state.round is None else state.round.play
    data = cast("Json", msgspec.to_builtins(_without_play(state)))
    if play is not None:
        data["round"]["play"] = game.state_to_json(play)
    return data


def state_from_json(game: TableGame[S], data: Json) -> TableState[S]:
    """Return the state that `state_to_json` wrote."""
    state = msgspec.convert(data, TableState[Any])
    if state.round is None or state.round.play is None:
        return cast("TableState[S]", state)
    play = game.state_from_json(state.round.terms, state.round.play)
    return msgspec.structs.replace(state, round=msgspec.structs.replace(state.round, play=play))


def terms_to_json(terms: TableTerms) -> Json:
    """Return terms as a JSON object, as the record of a round keeps them."""
    return cast("Json", msgspec.to_builtins(terms))


def terms_from_json(data: Json) -> TableTerms:
    """Return the terms that `terms_to_json` wrote."""
    return msgspec.convert(data, TableTerms)


def _without_play(state: TableState[S]) -> TableState[S]:
    if state.round is None or state.round.play is None:
        return state
    bare: TableRoundState[S] = msgspec.structs.replace(state.round, play=None)
    return msgspec.structs.replace(state, round=bare)
