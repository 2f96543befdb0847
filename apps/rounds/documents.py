"""The games' parts of the OpenAPI and AsyncAPI documents (`GameDocuments`)."""

from functools import cache
from typing import Any, Final

from apps.rounds.registry import games

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
    """Return the AsyncAPI 3 document of all games' sockets. Raises ValueError if two games use the same name for a
    part."""
    parts = [game.documents.asyncapi() for game in games() if game.documents.asyncapi is not None]
    components = [part["components"] for part in parts]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Punto over WebSocket",
            "version": "1",
            "description": "One JSON object a text frame. The first message is Authenticate.",
        },
        "defaultContentType": "application/json",
        "channels": _merged([part["channels"] for part in parts]),
        "operations": _merged([part["operations"] for part in parts]),
        "components": {kind: _merged([each.get(kind, {}) for each in components]) for kind in _COMPONENT_KINDS},
    }


def bet_names() -> list[str]:
    """Return the names on the wire of all games' bets, each once."""
    return list(dict.fromkeys(name for game in games() for name in game.documents.bets))


def action_names() -> list[str]:
    """Return the names on the wire of all games' actions, each once."""
    return list(dict.fromkeys(name for game in games() for name in game.documents.actions))


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in parts:
        if same := merged.keys() & part.keys():
            raise ValueError(f"two games have a part named {', '.join(sorted(same))}")
        merged |= part
    return merged
