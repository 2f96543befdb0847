"""The schemas of the table protocol's messages, with a game's payloads in their places.

They are generated from the structs of `apps.tables.messages` and of the games (`TableGame.messages`): the specification
of a game and the AsyncAPI document print the same schemas.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from apps.core.message_schemas import Schema, objects_open, schemas_of
from apps.rounds.table_game import TableGame
from apps.tables.messages import (
    FROM_CLIENT,
    FROM_SERVER,
    BettingWindowClosed,
    BettingWindowOpen,
    ClientMessage,
    GameActionRequest,
    GameMessage,
    GameStateUpdate,
    PlayerActionBroadcast,
    ReconnectState,
    RoundResult,
    SeedCommitment,
    SeedReveal,
    ServerMessage,
    SubmitAction,
)
from apps.tables.registry import table_games

MISSED: Final = (
    GameActionRequest,
    BettingWindowOpen,
    BettingWindowClosed,
    GameStateUpdate,
    PlayerActionBroadcast,
    RoundResult,
    SeedCommitment,
    SeedReveal,
)
"""The messages that `reconnect_state` may repeat."""
PROTOCOL_MESSAGES: Final = tuple(kind for kind in FROM_SERVER if not issubclass(kind, GameMessage))
GAME_MESSAGES: Final[tuple[type[GameMessage], ...]] = tuple(
    kind for kind in FROM_SERVER if issubclass(kind, GameMessage)
)


def prefix_of(game: TableGame[Any]) -> str:
    """Return the prefix of the names of a game's schemas."""
    return game.game_type.title().replace("_", "")


@cache
def protocol_schemas(ref: str) -> dict[str, Schema]:
    """Return the schemas of the messages that are the same for all games, by the names of their structs."""
    read = [kind for kind in FROM_CLIENT if kind is not SubmitAction]
    schemas = schemas_of(PROTOCOL_MESSAGES, ref=ref)[1]
    schemas |= schemas_of(read, ref=ref, is_sent=False)[1]
    for kind in PROTOCOL_MESSAGES:
        _timestamp_require(schemas[kind.__name__])
    return objects_open(schemas)


@cache
def game_schemas(game: TableGame[Any], ref: str) -> dict[str, Schema]:
    """Return the schemas of a game's messages and their payloads; `<prefix><struct>` is a message's name."""
    prefix, parts = prefix_of(game), payload_refs(game, ref)
    kinds = [kind for name, kind in _payload_types(game).items() if name != "action"]
    _, schemas = schemas_of([*kinds, *GAME_MESSAGES], ref=ref)
    schemas |= schemas_of([SubmitAction, game.messages.action], ref=ref, is_sent=False)[1]
    schemas[f"{prefix}Action"] = action_schema(game, ref)
    sent: list[type[ClientMessage | ServerMessage]] = [*game_message_kinds(game), SubmitAction]
    for kind in sent:
        schema = schemas[kind.__name__]
        if issubclass(kind, ServerMessage):
            _timestamp_require(schema)
        own: Schema = {"gameType": {"type": "string", "const": game.game_type}} | _payload(kind, parts)
        if kind is ReconnectState:
            missed = [{"$ref": ref.format(name=prefix + one.__name__)} for one in MISSED if _is_sent(game, one)]
            own |= {"currentState": parts["state"], "missedMessages": {"type": "array", "items": {"oneOf": missed}}}
        schema["properties"] = schema["properties"] | own
        schemas[prefix + kind.__name__] = schema | {"title": prefix + kind.__name__}
    for name in (*(one.__name__ for one in GAME_MESSAGES), SubmitAction.__name__):
        del schemas[name]
    return objects_open(schemas)


def game_message_kinds(game: TableGame[Any]) -> list[type[GameMessage]]:
    """Return the messages that a game's tables send."""
    return [kind for kind in GAME_MESSAGES if _is_sent(game, kind)]


def payload_refs(game: TableGame[Any], ref: str) -> dict[str, Schema]:
    """Return the schema of each payload of the game by its kind: `window`, `request`, `state`, `action`, `result`."""
    kinds = _payload_types(game)
    refs = dict(zip(kinds, schemas_of(list(kinds.values()), ref=ref)[0], strict=True))
    return refs | {"action": {"$ref": ref.format(name=f"{prefix_of(game)}Action")}}


def action_schema(game: TableGame[Any], ref: str) -> Schema:
    """Return the schema of the `payload` of `submit_action`: one of the game's actions."""
    [schema], _ = schemas_of([game.messages.action], ref=ref)
    return {"title": f"{prefix_of(game)}Action", "description": "What a player may do.", **schema}


def definitions_of(schemas: dict[str, Schema], roots: Iterable[Schema], ref: str) -> dict[str, Schema]:
    """Return the members of `schemas` that the roots refer to, directly or indirectly, sorted by name."""
    start = ref.format(name="")
    found: dict[str, Schema] = {}
    waiting: list[Any] = list(roots)
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            target = node.get("$ref")
            if isinstance(target, str) and (name := target.removeprefix(start)) not in found:
                found[name] = schemas[name]
                waiting.append(schemas[name])
            waiting += [value for key, value in node.items() if key not in ("$ref", "discriminator")]
    return dict(sorted(found.items()))


def all_schemas(ref: str) -> dict[str, Schema]:
    """Return the schemas of all messages of all games. Raises ValueError if two games have different schemas of one
    name."""
    merged = dict(protocol_schemas(ref))
    for game in table_games().values():
        for name, schema in game_schemas(game, ref).items():
            if merged.setdefault(name, schema) != schema:
                raise ValueError(f"{game.game_type} has another schema {name}")
    return merged


def _payload_types(game: TableGame[Any]) -> dict[str, Any]:
    kinds: dict[str, Any] = {
        name: getattr(game.messages, name) for name in ("action", "window", "request", "state", "broadcast", "result")
    }
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _is_sent(game: TableGame[Any], kind: type[GameMessage]) -> bool:
    return kind is not GameActionRequest or game.messages.request is not None


def _payload(kind: type[Any], parts: dict[str, Schema]) -> dict[str, Schema]:
    name = _PAYLOADS.get(kind)
    return {} if name is None else {"payload": parts[name]}


def _timestamp_require(schema: Schema) -> None:
    """Require the field that `stamped` adds to every message."""
    schema["required"] = [*schema["required"], "timestamp"]


_PAYLOADS: Final[dict[type[Any], str]] = {
    GameActionRequest: "request",
    BettingWindowOpen: "window",
    GameStateUpdate: "state",
    PlayerActionBroadcast: "broadcast",
    RoundResult: "result",
    SubmitAction: "action",
}
