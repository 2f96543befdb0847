"""The messages of the table protocol in both directions (docs/tables.md, "Messages").

The schemas of the specifications and the AsyncAPI document are generated from these structs, which also read and write
the messages. A message of the server is encoded once for all its receivers; `stamped` adds the fields that differ
between sockets.
"""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Final, Literal
from uuid import uuid4

import msgspec
from msgspec import UNSET, Meta, UnsetType

from apps.core import json
from apps.core.errors import DomainError, MalformedBody
from apps.rounds.table_message_types import Amount, Milliseconds, RoundId, SeedHash, ServerSeed, ShoeCounts, TableId

PROTOCOL_VERSION: Final = "1.0"
MAX_MESSAGE_BYTES: Final = 65_536

_UUID4: Final = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"
MessageId = Annotated[str, Meta(pattern=_UUID4, description="A UUID of version 4.")]
"""The `messageId` of a client. The server's ids are of version 4 too, but clients may rely only on UUIDs."""
ServerMessageId = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Text = Annotated[str, Meta(max_length=256)]
"""A name from a client. No known name is longer, and no refusal repeats it."""


class ProtocolErrorCode(Enum):
    """The codes of `error`, which are of the protocol, whatever the game."""

    AUTH_REQUIRED = "AUTH_REQUIRED"
    AUTH_EXPIRED = "AUTH_EXPIRED"
    AUTH_INVALID = "AUTH_INVALID"
    RATE_LIMITED = "RATE_LIMITED"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    TABLE_NOT_FOUND = "TABLE_NOT_FOUND"
    TABLE_FULL = "TABLE_FULL"
    GAME_NOT_FOUND = "GAME_NOT_FOUND"
    GAME_DISABLED = "GAME_DISABLED"
    """An extension of this server: the operator has switched off new bets here."""
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE"
    PLAYER_BLOCKED = "PLAYER_BLOCKED"
    """An extension of this server: the player or the wallet is blocked, as the lobby's refusal of a seat says it."""
    DUPLICATE_MESSAGE = "DUPLICATE_MESSAGE"
    VERSION_UNSUPPORTED = "VERSION_UNSUPPORTED"
    INVALID_MESSAGE = "INVALID_MESSAGE"
    """An extension of this server: no JSON object, no UUID v4 as `messageId`, or a field of the wrong type."""


class GameErrorCode(Enum):
    """The codes of `game_error`, which are about an action at one table."""

    INVALID_ACTION = "INVALID_ACTION"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ROUND_COMPLETE = "ROUND_COMPLETE"
    BETTING_WINDOW_CLOSED = "BETTING_WINDOW_CLOSED"
    TIMEOUT = "TIMEOUT"


class HeartbeatDirection(Enum):
    """A ping is a question, and a pong its answer."""

    PING = "ping"
    PONG = "pong"


class ExpiryReason(Enum):
    """Why a session is about to end."""

    LIFETIME = "lifetime"
    INACTIVITY = "inactivity"


# From the client


class ClientMessage(msgspec.Struct, rename="camel", tag_field="type", kw_only=True):
    """The fields of every message of a client. Unlisted fields are ignored; the client's clock decides nothing."""

    message_id: MessageId
    """Unique in a session: a second message with it has no effect."""
    timestamp: Milliseconds


class Authenticate(ClientMessage, tag="authenticate", kw_only=True):
    """The first message: the token of POST /api/auth/token."""

    token: Text
    protocol_version: Text | UnsetType = UNSET


class Reconnect(ClientMessage, tag="reconnect", kw_only=True):
    """Resumes a session whose socket has ended, instead of `authenticate`."""

    session_id: Text
    token: Text
    last_seen_message_id: Text | UnsetType = UNSET
    protocol_version: Text | UnsetType = UNSET


class SessionExtend(ClientMessage, tag="session_extend", kw_only=True):
    """Extends the session to its full time from now, 24 hours by default."""


class ClientHeartbeat(ClientMessage, tag="heartbeat", kw_only=True):
    """A ping is answered with a pong; either counts as a message against inactivity."""

    direction: HeartbeatDirection


class BalanceQuery(ClientMessage, tag="balance_query", kw_only=True):
    """Requests the balance of the session's wallet."""


class SubmitAction(ClientMessage, tag="submit_action", kw_only=True):
    """An action at a table: `payload.action`, and the fields of that action (in the game's specification)."""

    game_type: Text
    table_id: Text
    protocol_version: Text | UnsetType = UNSET
    payload: dict[str, Any]

    @property
    def action(self) -> str:
        """The action's name; `inbound_read` has checked that it is a text."""
        name: str = self.payload["action"]
        return name


FROM_CLIENT: Final[tuple[type[ClientMessage], ...]] = (
    Authenticate,
    Reconnect,
    SessionExtend,
    ClientHeartbeat,
    BalanceQuery,
    SubmitAction,
)
INBOUND_TYPES: Final = {str(kind.__struct_config__.tag): kind for kind in FROM_CLIENT}


class InvalidMessage(DomainError):
    """A frame that is no documented message: INVALID_MESSAGE. `message_id` is the frame's, if that is valid."""

    code = "INVALID_MESSAGE"
    http_status = 400

    def __init__(self, message: str, *, field: str | None = None, message_id: str = "") -> None:
        super().__init__(message, field=field)
        self.message_id = message_id


class NotAMessage(InvalidMessage):
    """Not JSON, or not an object. Three successive ones end the connection."""


class UnknownMessage(msgspec.Struct):
    """A message of a type that is ignored: an unknown one, or one that only the server sends."""

    type: str
    message_id: str
    """The message's id; empty if it is no UUID v4."""


def inbound_read(text: str | bytes | None) -> ClientMessage | UnknownMessage:
    """Return the message of a frame; None or bytes stand for a binary frame.

    `message_id` is in lower case. Raises NotAMessage, and InvalidMessage that names the field at fault.
    """
    if not isinstance(text, str):
        raise NotAMessage("a text frame with a JSON object is expected")
    try:
        members = json.decode_object(text)
    except MalformedBody as error:
        raise NotAMessage("the frame is not a JSON object") from error
    message_id = _message_id(members)
    kind = members.get("type")
    if not isinstance(kind, str):
        raise InvalidMessage("type must be a string", field="type", message_id=message_id)
    struct = INBOUND_TYPES.get(kind)
    if struct is None:
        return UnknownMessage(kind[:64], message_id)
    if not message_id:
        raise InvalidMessage("messageId must be a UUID of version 4", field="messageId")
    members["messageId"] = message_id
    try:
        message: ClientMessage = msgspec.convert(members, struct, builtin_types=json.NUMBER_TYPES)
    except msgspec.ValidationError as error:
        raise _invalid(struct, str(error), message_id) from error
    if isinstance(message, SubmitAction) and not isinstance(message.payload.get("action"), str):
        raise InvalidMessage("payload.action must be a string", field="payload.action", message_id=message_id)
    return message


# From the server


class ServerMessage(msgspec.Struct, rename="camel", tag_field="type", kw_only=True, forbid_unknown_fields=True):
    """The fields of every message of the server."""

    message_id: ServerMessageId
    timestamp: Milliseconds | UnsetType = UNSET
    """The time of sending. `stamped` adds it."""
    sequence: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    """Increases by one with each message of the connection; after a reconnect it continues from a higher number.
    `hello` and messages before log-in have none. `stamped` adds it."""


class Capabilities(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The capabilities of this server."""

    provably_fair: Literal[True] = True
    multi_table: Literal[True] = True


class Hello(ServerMessage, tag="hello", kw_only=True):
    """The first message on every connection."""

    protocol_version: Literal["1.0"] = PROTOCOL_VERSION
    server_id: str
    supported_games: list[str]
    capabilities: Capabilities


class WalletBalance(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """`available` may be staked; `locked` are the stakes of open rounds."""

    available: Amount
    locked: Amount
    currency: str


class Permissions(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The rights of the session; null: no limit."""

    allowed_games: list[str]
    max_stake_per_round: Amount | None
    daily_loss_limit: Amount | None


class SessionAuthenticated(ServerMessage, tag="authenticated", kw_only=True):
    """The session is valid and bound to this connection."""

    player_id: str
    session_id: str
    expires_at: Milliseconds
    balance: WalletBalance
    permissions: Permissions


class SessionExtended(ServerMessage, tag="session_extended", kw_only=True):
    """The new end of the session."""

    expires_at: Milliseconds


class SessionExpiring(ServerMessage, tag="session_expiring", kw_only=True):
    """The session ends at this time unless it is extended or a message comes."""

    expires_at: Milliseconds
    reason: ExpiryReason


class Heartbeat(ServerMessage, tag="heartbeat", kw_only=True):
    """A ping of the server, or the answer to the client's."""

    direction: HeartbeatDirection


class BalanceResponse(ServerMessage, tag="balance_response", kw_only=True):
    """The balance of the session's wallet."""

    available: Amount
    locked: Amount
    total: Amount
    currency: str


class Ack(ServerMessage, tag="ack", kw_only=True):
    """A `submit_action` was accepted and, if it moves money, booked."""

    related_message_id: str


class ProtocolErrorMessage(ServerMessage, tag="error", kw_only=True):
    """A refusal by the protocol. The request changed nothing; only after `INTERNAL_ERROR` may it have been carried
    out."""

    code: ProtocolErrorCode
    message: str
    related_message_id: str | UnsetType = UNSET


class GameMessage(ServerMessage, kw_only=True):
    """The fields of every message of a table."""

    game_type: str
    table_id: TableId


class ReconnectState(GameMessage, tag="reconnect_state", kw_only=True):
    """The present state of a table, and its messages since the client's last one. Missed messages are repeated as sent,
    without `sequence`; a client drops those whose `messageId` it knows.
    """

    current_state: dict[str, Any]
    missed_messages: list[dict[str, Any]]
    truncated: bool = False
    """Whether older messages were left out, to stay below 64 KiB."""


class GameErrorMessage(GameMessage, tag="game_error", kw_only=True):
    """A refusal at a table. The action changed nothing, and the turn keeps its first deadline."""

    code: GameErrorCode
    message: str
    related_message_id: str | UnsetType = UNSET


class GameActionRequest(GameMessage, tag="game_action_request", kw_only=True):
    """It is this player's turn. In a repeated message `repeats` is the first one's id."""

    protocol_version: Literal["1.0"] = PROTOCOL_VERSION
    timeout_seconds: Amount
    repeats: str | UnsetType = UNSET
    payload: dict[str, Any]


class BettingWindowOpen(GameMessage, tag="betting_window_open", kw_only=True):
    """Stakes are accepted. In a repeated message `repeats` is the first one's id."""

    protocol_version: Literal["1.0"] = PROTOCOL_VERSION
    timeout_seconds: Amount
    repeats: str | UnsetType = UNSET
    payload: dict[str, Any]


class BettingWindowClosed(GameMessage, tag="betting_window_closed", kw_only=True):
    """No more stakes are accepted."""


class GameStateUpdate(GameMessage, tag="game_state_update", kw_only=True):
    """The public state, at each phase."""

    payload: dict[str, Any]


class PlayerActionBroadcast(GameMessage, tag="player_action_broadcast", kw_only=True):
    """A player has acted, or the default action was taken for them."""

    payload: dict[str, Any]


class RoundResult(GameMessage, tag="round_result", kw_only=True):
    """The round has ended and was paid."""

    payload: dict[str, Any]


class SeedCommitment(GameMessage, tag="seed_commitment", kw_only=True):
    """The seed of the next round's cards is fixed: its hash, before any bet."""

    hand_id: RoundId
    seed_hash: SeedHash
    nonce: Annotated[int, Meta(ge=1)]
    shoe: ShoeCounts | None
    """Null: infinite decks."""


class SeedReveal(GameMessage, tag="seed_reveal", kw_only=True):
    """The seed whose SHA-256 was the commitment."""

    hand_id: RoundId
    seed: ServerSeed
    algorithm: Literal["sha256"] = "sha256"


FROM_SERVER: Final[tuple[type[ServerMessage], ...]] = (
    Hello, SessionAuthenticated, SessionExtended, SessionExpiring, Heartbeat, BalanceResponse, Ack,
    ProtocolErrorMessage,
    ReconnectState, GameErrorMessage, GameActionRequest, BettingWindowOpen, BettingWindowClosed, GameStateUpdate,
    PlayerActionBroadcast, RoundResult, SeedCommitment, SeedReveal,
)  # fmt: skip


def message_id_make() -> str:
    """Return a new message id."""
    return str(uuid4())


def outbound_body(message: ServerMessage) -> bytes:
    """Return a message as JSON without `sequence` and `timestamp`: the same bytes for all receivers."""
    return json.encode(msgspec.to_builtins(message, builtin_types=json.NUMBER_TYPES))


def game_body(type_name: str, *, message_id: str, game_type: str, table_id: str, fields: Mapping[str, Any]) -> bytes:
    """Return a table's message as `outbound_body` does; `fields` are its own, by their names on the wire."""
    return game_body_of(
        type_name, message_id=message_id, game_type=game_type, table_id=table_id, fields=json.encode(fields)
    )


def game_body_of(type_name: str, *, message_id: str, game_type: str, table_id: str, fields: bytes) -> bytes:
    """Do the same as `game_body` with fields that are already encoded as a JSON object."""
    head = {"type": type_name, "messageId": message_id, "gameType": game_type, "tableId": table_id}
    if type_name in VERSIONED:
        head["protocolVersion"] = PROTOCOL_VERSION
    more = fields[1:] if fields == b"{}" else b"," + fields[1:]
    return json.encode(head)[:-1] + more


def stamped(body: bytes, *, sequence: int | None, timestamp_ms: int) -> str:
    """Return a body with the fields of one socket; `sequence` is None before log-in."""
    head = (
        f'{{"timestamp":{timestamp_ms},'
        if sequence is None
        else (f'{{"sequence":{sequence},"timestamp":{timestamp_ms},')
    )
    return head + body[1:].decode()


def error_body(code: ProtocolErrorCode, message: str, *, related: str = "") -> bytes:
    """Return the body of an `error`."""
    return outbound_body(
        ProtocolErrorMessage(
            message_id=message_id_make(), code=code, message=message, related_message_id=related or UNSET
        )
    )


def game_error_body(code: GameErrorCode, message: str, *, game_type: str, table_id: str, related: str = "") -> bytes:
    """Return the body of a `game_error`."""
    return outbound_body(
        GameErrorMessage(
            message_id=message_id_make(),
            game_type=game_type,
            table_id=table_id,
            code=code,
            message=message,
            related_message_id=related or UNSET,
        )
    )


def _message_id(members: Mapping[str, Any]) -> str:
    """Return the message's id in lower case, so that each id has one spelling; empty if it is no UUID v4."""
    value = members.get("messageId")
    return value.lower() if isinstance(value, str) and _IS_UUID4.fullmatch(value) else ""


def _invalid(struct: type[ClientMessage], reason: str, message_id: str) -> InvalidMessage:
    field = _field_of(reason)
    expected = _FIELD_TEXTS.get(field, "a string of at most 256 characters")
    if struct is ClientHeartbeat and field == "direction":
        expected = "ping or pong"
    text = f"{field or 'the message'} must be {expected}"
    return InvalidMessage(text, field=field or None, message_id=message_id)


def _field_of(reason: str) -> str:
    found = _FIELD.search(reason)
    return (found.group(1) or found.group(2)) if found else ""


_FIELD: Final = re.compile(r"at `\$\.(\w+)|required field `(\w+)`")
_FIELD_TEXTS: Final = {"timestamp": "a whole number of milliseconds", "payload": "an object"}
_IS_UUID4: Final = re.compile(_UUID4)
VERSIONED: Final = {"game_action_request", "betting_window_open"}
