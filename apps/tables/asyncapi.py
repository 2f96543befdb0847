"""The table socket's part of the AsyncAPI 3 document, generated from the structs that read and write its messages."""

from typing import Any, Final

from apps.core.message_schemas import Schema
from apps.tables.message_schemas import (
    PROTOCOL_MESSAGES,
    all_schemas,
    game_message_kinds,
    prefix_of,
)
from apps.tables.messages import FROM_CLIENT, MAX_MESSAGE_BYTES, SubmitAction
from apps.tables.registry import table_games

REF: Final = "#/components/schemas/{name}"
CLIENT_MESSAGE: Final = "TableClientMessage"
SERVER_MESSAGE: Final = "TableServerMessage"
CHANNEL: Final = "tables"
_DESCRIPTIONS: Final = {
    "ClientMessage": "Any message of a client that plays only {game}, distinguished by `type`.",
    "ServerMessage": "Any message to a client that plays only {game}, distinguished by `type`.",
}


def tables_asyncapi() -> Schema:
    """Return channels, operations and components; schemas are JSON Schema, under `components/schemas`."""
    common_of_clients = [kind.__name__ for kind in FROM_CLIENT if kind is not SubmitAction]
    common_of_server = [kind.__name__ for kind in PROTOCOL_MESSAGES]
    of_clients, of_server = list(common_of_clients), list(common_of_server)
    schemas = all_schemas(REF)
    for game in table_games().values():
        prefix = prefix_of(game)
        own_of_clients = [prefix + SubmitAction.__name__]
        own_of_server = [prefix + kind.__name__ for kind in game_message_kinds(game)]
        for name, options in (
            ("ClientMessage", common_of_clients + own_of_clients),
            ("ServerMessage", common_of_server + own_of_server),
        ):
            union = _one_of(f"{prefix}{name}", _DESCRIPTIONS[name].format(game=game.title), options)
            schemas[f"{prefix}{name}"] = union | {"discriminator": "type"}
        of_clients += own_of_clients
        of_server += own_of_server
    schemas[CLIENT_MESSAGE] = _one_of(CLIENT_MESSAGE, "Any message of a client.", of_clients)
    schemas[SERVER_MESSAGE] = _one_of(SERVER_MESSAGE, "Any message of the server.", of_server)
    return {
        "channels": {
            CHANNEL: {
                "address": "/ws/tables",
                "description": (
                    "The table protocol 1.0. The server says `hello`; the client answers `authenticate` or `reconnect`"
                    f" within 10 seconds. A frame has at most {MAX_MESSAGE_BYTES} bytes."
                ),
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in (*of_clients, *of_server)},
            }
        },
        "operations": {
            "tableClientSends": _operation("receive", of_clients),
            "tableServerSends": _operation("send", of_server),
        },
        "components": {
            "messages": {
                name: {"name": name, "payload": {"$ref": REF.format(name=name)}} for name in (*of_clients, *of_server)
            },
            "schemas": dict(sorted(_discriminators_named(schemas).items())),
        },
    }


def _one_of(name: str, description: str, names: list[str]) -> Schema:
    options = [{"$ref": REF.format(name=option)} for option in names]
    return {"title": name, "description": description, "oneOf": options}


def _operation(action: str, names: list[str]) -> Schema:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{CHANNEL}"},
        "messages": [{"$ref": f"#/channels/{CHANNEL}/messages/{name}"} for name in names],
    }


def _discriminators_named(node: Any) -> Any:
    """Return the schemas with each discriminator as a bare property name, which AsyncAPI requires."""
    if isinstance(node, list):
        return [_discriminators_named(part) for part in node]
    if not isinstance(node, dict):
        return node
    found = {key: _discriminators_named(value) for key, value in node.items()}
    if isinstance(found.get("discriminator"), dict):
        found["discriminator"] = found["discriminator"]["propertyName"]
    return found
