"""The games' parts of the OpenAPI and AsyncAPI documents (`GameDocuments`)."""

from functools import cache
from typing import Any, Final, get_args

from django.conf import settings
from django.utils.module_loading import import_string

from apps.rounds.registry import games, table_games_list

_COMPONENT_KINDS: Final = ("messages", "schemas")


def openapi_games_add(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add the games' parts to the generated OpenAPI document (a hook of drf-spectacular)."""
    for game in games():
        if game.documents.openapi_add is not None:
            game.documents.openapi_add(result)
    result["paths"] = dict(sorted(result["paths"].items()))
    return result


@cache
def asyncapi_document() -> dict[str, Any]:
    """Return the AsyncAPI 3 document of all sockets. Raises ValueError if two of them have a part of one name."""
    parts = [game.documents.asyncapi() for game in games() if game.documents.asyncapi is not None]
    parts += [import_string(path)() for path in settings.ASYNCAPI_PARTS]
    components = [part["components"] for part in parts]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Punto over WebSocket",
            "version": "1",
            "description": "One JSON object in each text frame. Each channel describes its first message.",
        },
        "defaultContentType": "application/json",
        "channels": _merged([part["channels"] for part in parts]),
        "operations": _merged([part["operations"] for part in parts]),
        "components": {kind: _merged([each.get(kind, {}) for each in components]) for kind in _COMPONENT_KINDS},
    }


def bet_names() -> list[str]:
    """Return the names on the wire of all games' bets, each once, live tables included."""
    solo = [name for game in games() for name in game.documents.bets]
    return list(dict.fromkeys([*solo, *(name for game in table_games_list() for name in game.bet_labels)]))


def action_names() -> list[str]:
    """Return the names on the wire of all games' actions, each once, live tables included."""
    solo = [name for game in games() for name in game.documents.actions]
    kinds = [kind for game in table_games_list() for kind in get_args(game.messages.action)]
    return list(dict.fromkeys([*solo, *(str(kind.__struct_config__.tag) for kind in kinds)]))


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in parts:
        if same := merged.keys() & part.keys():
            raise ValueError(f"two sockets have a part named {', '.join(sorted(same))}")
        merged |= part
    return merged
