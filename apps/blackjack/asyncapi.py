"""The socket's AsyncAPI 3 document, made from the structs that read and write its messages."""

from functools import cache
from typing import Any, Final

import msgspec

from apps.blackjack.messages import (
    Authenticated,
    BalanceUpdate,
    ErrorMessage,
    Inbound,
    RoundStateMessage,
    RoundUpdate,
    UpdateConfig,
)

FROM_SERVER: Final = (Authenticated, RoundUpdate, RoundStateMessage, BalanceUpdate, UpdateConfig, ErrorMessage)
EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "Inbound": {
        "eventType": "RoundAction",
        "action": "Bet",
        "gameId": "og-blackjack",
        "eventId": "3f0c",
        "data": {"betAmount": 52.5},
    },
    "ErrorMessage": {
        "eventType": "Error",
        "code": "INVALID_NEXT_ACTION",
        "message": "Double is not among nextActions: Hit, Stand",
        "eventId": "3f0d",
    },
}


@cache
def asyncapi_document() -> dict[str, Any]:
    """Return the document; its schemas are JSON Schema, under `components/schemas`."""
    messages = (Inbound, *FROM_SERVER)
    references, schemas = msgspec.json.schema_components(messages, ref_template="#/components/schemas/{name}")
    names = [message.__name__ for message in messages]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Punto: blackjack over WebSocket",
            "version": "1",
            "description": "One JSON object a text frame. The first message is Authenticate.",
        },
        "channels": {
            "play": {
                "address": "/v1/ws",
                "description": "Opened with the query game_session_id, the token of a game session.",
                "bindings": {
                    "ws": {"query": {"type": "object", "properties": {"game_session_id": {"type": "string"}}}}
                },
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
            }
        },
        "operations": {
            "clientSends": {
                "action": "receive",
                "channel": {"$ref": "#/channels/play"},
                "messages": [{"$ref": "#/channels/play/messages/Inbound"}],
            },
            "serverSends": {
                "action": "send",
                "channel": {"$ref": "#/channels/play"},
                "messages": [{"$ref": f"#/channels/play/messages/{kind.__name__}"} for kind in FROM_SERVER],
            },
        },
        "components": {
            "messages": {
                name: {
                    "name": name,
                    "payload": reference,
                    **({"examples": [{"payload": EXAMPLES[name]}]} if name in EXAMPLES else {}),
                }
                for name, reference in zip(names, references, strict=True)
            },
            "schemas": schemas,
        },
    }
