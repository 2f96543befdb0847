"""The socket's part of the AsyncAPI 3 document, generated from the structs of its messages.

One struct, `Inbound`, reads all messages of clients, and each action reads its own `data`. In the document `Inbound` is
a union of the structs below, by event and action.
"""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from apps.blackjack.apps import GAME_ID
from apps.blackjack.messages import (
    DEALER_PACES,
    Authenticated,
    BalanceUpdate,
    ClientSeed,
    CurrencyCode,
    ErrorMessage,
    EventId,
    GameId,
    RoundStateMessage,
    RoundUpdate,
    UpdateConfig,
)
from apps.core import patterns
from apps.core.message_schemas import Schema, schemas_of

FROM_SERVER: Final = (Authenticated, RoundUpdate, RoundStateMessage, BalanceUpdate, UpdateConfig, ErrorMessage)

Stake = Annotated[
    Annotated[float, Meta(ge=0, extra_json_schema={"format": "decimal"})]
    | Annotated[str, Meta(extra_json_schema={"format": "decimal", "pattern": patterns.AMOUNT})],
    Meta(title="Stake", description="An amount of a client: a JSON number or its text, both exact."),
]


DealerPace = Annotated[
    str,
    Meta(
        description="`card`: one Hit for each of the dealer's cards. `round`: all in the answer to the last action.",
        extra_json_schema={"title": "DealerPace", "enum": list(DEALER_PACES)},
    ),
]


class AuthenticateData(msgspec.Struct, rename="camel"):
    """The optional data of the first message."""

    client_seed: ClientSeed | UnsetType = UNSET
    """A proposal for the player's first rounds; accepted while no seed is chosen and no round was dealt."""
    dealer_pace: DealerPace | UnsetType = UNSET
    """The dealer's pace in rounds that begin on this connection."""


class AuthenticateRequest(msgspec.Struct, rename="camel"):
    """The first message."""

    event_type: Literal["Authenticate"]
    event_id: EventId
    data: AuthenticateData | UnsetType = UNSET


class RoundStateRequest(msgspec.Struct, rename="camel"):
    """Requests the whole open round."""

    event_type: Literal["RoundState"]
    event_id: EventId
    game_id: GameId


class GetBalanceData(msgspec.Struct, rename="camel"):
    """The currency of the wallet; the session's by default."""

    currency: CurrencyCode | UnsetType = UNSET


class GetBalanceRequest(msgspec.Struct, rename="camel"):
    """Requests the balance of a wallet."""

    event_type: Literal["GetBalance"]
    event_id: EventId
    game_id: GameId
    data: GetBalanceData | UnsetType = UNSET


class BetData(msgspec.Struct, rename="camel"):
    """The stakes. A missing `betAmount` or 0 is free play, which is possible if the lowest bet is 0."""

    bet_amount: Stake | UnsetType = UNSET
    perfec_pairs_bet_amount: Stake | UnsetType = UNSET
    poker_bet_amount: Stake | UnsetType = UNSET


class BetRequest(msgspec.Struct, rename="camel"):
    """Begins a round."""

    event_type: Literal["RoundAction"]
    action: Literal["Bet"]
    event_id: EventId
    game_id: GameId
    data: BetData | UnsetType = UNSET


class PeekData(msgspec.Struct, rename="camel"):
    """The answer to the insurance question; the amount only if the rules allow up to half."""

    accepted_insurance: bool
    insurance_amount: Stake | UnsetType = UNSET


class PeekRequest(msgspec.Struct, rename="camel"):
    """Answers the question against an ace, or goes on against a ten."""

    event_type: Literal["RoundAction"]
    action: Literal["Peek"]
    event_id: EventId
    game_id: GameId
    data: PeekData


class NoData(msgspec.Struct, rename="camel"):
    """The content is ignored."""


class MoveRequest(msgspec.Struct, rename="camel"):
    """Plays a hand. `Hit` also plays the dealer's turn."""

    event_type: Literal["RoundAction"]
    action: Annotated[
        str, Meta(extra_json_schema={"title": "MoveName", "enum": ["Hit", "Stand", "Double", "Split", "Surrender"]})
    ]
    event_id: EventId
    game_id: GameId
    data: NoData | UnsetType = UNSET


FROM_CLIENT: Final = (
    AuthenticateRequest,
    RoundStateRequest,
    GetBalanceRequest,
    BetRequest,
    PeekRequest,
    MoveRequest,
)
EXAMPLES: Final[dict[str, Schema]] = {
    "Inbound": {
        "eventType": "RoundAction",
        "action": "Bet",
        "gameId": GAME_ID,
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


def blackjack_asyncapi() -> Schema:
    """Return channels, operations and components; schemas are JSON Schema, under `components/schemas`."""
    schemas = schemas_of((*FROM_CLIENT, *FROM_SERVER))[1]
    schemas["Inbound"] = {
        "title": "Inbound",
        "description": "Any message of a client. Other members are ignored; `payload` is read if there is no `data`.",
        "oneOf": [{"$ref": f"#/components/schemas/{kind.__name__}"} for kind in FROM_CLIENT],
    }
    names = ["Inbound", *(kind.__name__ for kind in FROM_SERVER)]
    session = {"type": "string", "format": "uuid", "description": "A game session's id: a bearer credential."}
    query = {"type": "object", "required": ["game_session_id"], "properties": {"game_session_id": session}}
    return {
        "channels": {
            "play": {
                "address": "/v1/ws",
                "description": "Opened with the query game_session_id, the token of a game session.",
                "bindings": {"ws": {"query": query}},
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
                    "payload": {"$ref": f"#/components/schemas/{name}"},
                    **({"examples": [{"payload": EXAMPLES[name]}]} if name in EXAMPLES else {}),
                }
                for name in names
            },
            "schemas": dict(sorted(schemas.items())),
        },
    }
