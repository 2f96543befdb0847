"""The messages of the socket in both directions (docs/protocol.md).

JSON Schema and the AsyncAPI document are generated from these structs, which also read and write the messages. Amounts
arrive as JSON numbers or strings and are sent as plain strings without trailing zeros.

None contains the hole card before it is shown: they are filled from the engine's state, which has only visible cards
(engine/state.py).
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from apps.blackjack.apps import GAME_ID
from apps.blackjack.engine.rules import MAX_SPLITS
from apps.blackjack.engine.side_bets import PERFECT_PAIRS_WINS, POKER_WINS, SideBetOutcome
from apps.blackjack.engine.state import HandStatus, InsuranceStatus, Pace
from apps.core import json, patterns
from apps.core.errors import DomainError, MalformedBody
from apps.core.money import parse_plain


class EventType(Enum):
    """The messages of a client."""

    AUTHENTICATE = "Authenticate"
    ROUND_STATE = "RoundState"
    ROUND_ACTION = "RoundAction"
    GET_BALANCE = "GetBalance"


class WireAction(Enum):
    """The seven actions."""

    BET = "Bet"
    PEEK = "Peek"
    HIT = "Hit"
    STAND = "Stand"
    DOUBLE = "Double"
    SPLIT = "Split"
    SURRENDER = "Surrender"


DEALER_PACES: Final = {"card": Pace.SOLO, "round": Pace.TABLE}
"""The paces that `Authenticate` may request: an action for each of the dealer's cards, or all cards in the player's
last action."""

# PostgreSQL stores it as a key and accepts no text with a NUL.
MAX_EVENT_ID_CHARS: Final = 64
EventId = Annotated[str, Meta(min_length=1, max_length=MAX_EVENT_ID_CHARS, pattern="^[^\\x00]*$")]


ERROR_CODES: Final = (
    "AUTHENTICATION_FAILED",
    "BUSY",
    "CHANGE_SEED_FAILED",
    "CLIENT_NOT_AUTHENTICATED",
    "GAME_DISABLED",
    "GAME_ROUND_NOT_FOUND",
    "INSUFFICIENT_FUNDS",
    "INVALID_ACTION",
    "INVALID_BET_AMOUNT",
    "INVALID_CURRENCY",
    "INVALID_EVENT_INPUTS",
    "INVALID_EVENT_TYPE",
    "INVALID_GAME_ID",
    "INVALID_NEXT_ACTION",
    "INVALID_PAYLOAD_SCHEMA",
    "PLAYER_BLOCKED",
    "RATE_LIMITED",
    "REFUSED",
    "SERVICE_UNAVAILABLE",
)
"""All codes of an Error or a Warning."""


def _enum(title: str, values: Iterable[str]) -> Meta:
    """Return the annotation for a text that is one of `values`, with a name for generators."""
    return Meta(extra_json_schema={"title": title, "enum": list(values)})


Amount = Annotated[str, Meta(extra_json_schema={"format": "decimal", "pattern": "^[0-9]+(\\.[0-9]{1,8})?$"})]
RoundId = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
SeedHash = Annotated[str, Meta(extra_json_schema={"pattern": patterns.SEED})]
ClientSeed = Annotated[str, Meta(extra_json_schema={"pattern": patterns.CLIENT_SEED})]
CurrencyCode = Annotated[str, Meta(extra_json_schema={"pattern": patterns.CURRENCY})]
Nonce = Annotated[int, Meta(ge=0)]
HandIndex = Annotated[int, Meta(ge=0, le=MAX_SPLITS)]
GameId = Literal["og-blackjack"]
HandOwner = Annotated[str, _enum("HandOwner", ("Player", "Dealer"))]
ActionName = Annotated[str, _enum("ActionName", (action.value for action in WireAction))]
Code = Annotated[str, _enum("ErrorCode", ERROR_CODES)]
HandEnd = Annotated[str, _enum("HandStatus", (status.value for status in HandStatus if status.is_final))]
PerfectPairsEnd = Annotated[
    str, _enum("PerfectPairsStatus", (outcome.value for outcome in (*PERFECT_PAIRS_WINS, SideBetOutcome.LOST)))
]
PokerEnd = Annotated[str, _enum("PokerStatus", (outcome.value for outcome in (*POKER_WINS, SideBetOutcome.LOST)))]
InsuranceEnd = Annotated[str, _enum("InsuranceStatus", (status.value for status in InsuranceStatus))]


class Inbound(msgspec.Struct, rename="camel"):
    """Any message of a client. Fields that are not listed are ignored."""

    event_type: EventType
    event_id: EventId
    game_id: str | UnsetType = UNSET
    action: WireAction | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET
    payload: dict[str, Any] | UnsetType = UNSET
    """Another name for `data`."""

    @property
    def body(self) -> dict[str, Any]:
        """The value of `data`, or of `payload`; empty if neither was sent."""
        if self.data is not UNSET:
            return self.data
        return self.payload if self.payload is not UNSET else {}


class _Identified(msgspec.Struct, rename="camel"):
    """The part of a message that a refusal needs."""

    event_id: str = ""


class MessageError(DomainError):
    """A refused message; `code` is one of the codes of docs/protocol.md."""

    code = "INVALID_EVENT_INPUTS"
    http_status = 422

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.wire_code = code or self.code


class ErrorMessage(msgspec.Struct, rename="camel"):
    """A refusal, or a remark: nothing was changed. `eventId` is empty where the event's own could not be read.

    After `SERVICE_UNAVAILABLE` it may have been done or not: send it again with the same `eventId`.
    """

    event_type: Literal["Error", "Warning"]
    code: Code
    message: str
    event_id: str


class Authenticated(msgspec.Struct, rename="camel"):
    """The session is valid and bound to this connection."""

    event_id: str
    event_type: Literal["Authenticate"] = "Authenticate"
    authenticated: Literal[True] = True


class Balance(msgspec.Struct):
    """The balance of a wallet."""

    balance: Amount
    currency: CurrencyCode


class BalanceUpdate(msgspec.Struct, rename="camel"):
    """The answer to GetBalance."""

    event_id: str
    data: Balance
    event_type: Literal["BalanceUpdate"] = "BalanceUpdate"


class SideBetLimits(msgspec.Struct, rename="camel"):
    """Limits of the side bets; a maximum of 0: the side bet is off."""

    perfect_pairs_max_bet: Amount
    perfect_pairs_min_bet: Amount
    poker_max_bet: Amount
    poker_min_bet: Amount


class GameConfig(msgspec.Struct, rename="camel"):
    """Limits, rules and odds. `rules` and `odds` are null while no terms are active; `active` is false then."""

    id: Annotated[int, Meta(ge=1)]
    game_id: GameId
    active: bool
    currency: CurrencyCode
    max_bet: Amount
    min_bet: Amount
    custom_props: SideBetLimits
    rules: dict[str, bool | int | str] | None
    odds: dict[str, dict[str, Amount]] | None


class UpdateConfig(msgspec.Struct, rename="camel"):
    """The partner has changed limits, odds or rules; `data` is the body of GET /v1/games/configs."""

    data: GameConfig
    game_id: GameId = GAME_ID
    event_type: Literal["UpdateConfig"] = "UpdateConfig"


class WireCard(msgspec.Struct):
    """A card: `value` 1 to 10 (the ace 1), `suit` 0 to 3 (hearts, diamonds, clubs, spades), `index` 0 to 12."""

    value: Annotated[int, Meta(ge=1, le=10)]
    suit: Annotated[int, Meta(ge=0, le=3)]
    index: Annotated[int, Meta(ge=0, le=12)]


class WireDealer(msgspec.Struct):
    """The dealer's cards: in an update only those newly shown."""

    cards: list[WireCard]


class WireHand(msgspec.Struct, rename="camel", omit_defaults=True):
    """A hand, or its changes."""

    cards: list[WireCard] | UnsetType = UNSET
    bet_amount: Amount | UnsetType = UNSET
    is_split: bool | UnsetType = UNSET
    next_actions: list[ActionName] | UnsetType = UNSET
    status: HandEnd | UnsetType = UNSET
    payout: Amount | UnsetType = UNSET


class PerfectPairsResult(msgspec.Struct):
    """The result of Perfect Pairs; `payout` includes the stake."""

    payout: Amount
    status: PerfectPairsEnd


class PokerResult(msgspec.Struct):
    """The result of 21+3; `payout` includes the stake."""

    payout: Amount
    status: PokerEnd


class InsuranceResult(msgspec.Struct):
    """The answer to the insurance question, and the result of the insurance; `payout` includes the stake."""

    payout: Amount
    status: InsuranceEnd


class RoundData(msgspec.Struct, rename="camel", omit_defaults=True):
    """The changes of a round: the `data` of RoundUpdate."""

    next_actions: list[ActionName]
    hand_index: HandIndex | UnsetType = UNSET
    hand_owner: HandOwner | UnsetType = UNSET
    round_ended: bool | UnsetType = UNSET
    payout: Amount | UnsetType = UNSET
    balance: Amount | UnsetType = UNSET
    dealer_hand: WireDealer | UnsetType = UNSET
    player_hands: list[WireHand] | UnsetType = UNSET
    perfect_pairs: PerfectPairsResult | UnsetType = UNSET
    poker: PokerResult | UnsetType = UNSET
    insurance: InsuranceResult | UnsetType = UNSET


class WholeRound(msgspec.Struct, rename="camel", kw_only=True, omit_defaults=True):
    """All visible parts of a round, open or ended, without its seeds.

    Until the insurance question is answered, and in a round without one, `acceptedInsurance` is false,
    `insuranceAmount` "0" and `insurance` null.
    """

    action: ActionName
    """The last action."""
    next_actions: list[ActionName]
    hand_index: HandIndex | UnsetType = UNSET
    hand_owner: HandOwner | UnsetType = UNSET
    payout: Amount | UnsetType = UNSET
    balance: Amount | UnsetType = UNSET
    bet_amount: Amount
    dealer_hand: WireDealer
    player_hands: list[WireHand]
    accepted_insurance: bool
    insurance_amount: Amount
    perfec_pairs_bet_amount: Amount | UnsetType = UNSET
    poker_bet_amount: Amount | UnsetType = UNSET
    perfect_pairs: PerfectPairsResult | UnsetType = UNSET
    poker: PokerResult | UnsetType = UNSET
    insurance: InsuranceResult | None


class OpenRound(WholeRound, kw_only=True):
    """All visible parts of the open round: the `data` of RoundState."""

    hand_index: HandIndex
    hand_owner: HandOwner
    server_seed_hash: SeedHash
    client_seed: ClientSeed
    nonce: Nonce


class RoundUpdate(msgspec.Struct, rename="camel"):
    """What an action has changed."""

    action: ActionName
    round_id: RoundId
    event_id: str
    data: RoundData
    game_id: GameId = GAME_ID
    event_type: Literal["RoundUpdate"] = "RoundUpdate"


class RoundStateMessage(msgspec.Struct, rename="camel"):
    """The whole of the open round."""

    round_id: RoundId
    event_id: str
    data: OpenRound
    round_ended: Literal[False] = False
    game_id: GameId = GAME_ID
    event_type: Literal["RoundState"] = "RoundState"


def inbound_read(text: str | None) -> Inbound:
    """Return the message of a frame; None is a binary one. Raises MessageError with the code of what is wrong."""
    if text is None:
        raise MessageError("a text frame with a JSON object is expected", code="INVALID_PAYLOAD_SCHEMA")
    try:
        message = msgspec.convert(json.decode_object(text), Inbound)
    except MalformedBody as error:
        raise MessageError("the message is not a JSON object", code="INVALID_PAYLOAD_SCHEMA") from error
    except msgspec.ValidationError as error:
        found = _FIELD.search(str(error))
        field = found.group(1) or found.group(2) if found else ""
        told = _FIELD_TEXTS.get(field, "the message is not as documented")
        raise MessageError(told, code=_FIELD_CODES.get(field, "")) from error
    if message.event_type is not EventType.AUTHENTICATE and message.game_id != GAME_ID:
        raise MessageError(f"gameId must be {GAME_ID}", code="INVALID_GAME_ID")
    if message.event_type is EventType.ROUND_ACTION and message.action is UNSET:
        raise MessageError("action is missing", code="INVALID_ACTION")
    return message


def event_id_read(text: str | None) -> str:
    """Return the `eventId`, up to 64 characters, of a frame that was not read; empty without one."""
    try:
        return "" if text is None else _identified.decode(text).event_id[:MAX_EVENT_ID_CHARS]
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return ""


def outbound_write(message: msgspec.Struct) -> str:
    """Return the JSON text of an outbound message."""
    return _encoder.encode(message).decode()


def error_text(error: DomainError, *, event_id: str = "") -> str:
    """Return the JSON text of a refusal; that there is no round is a remark."""
    code = error.wire_code if isinstance(error, MessageError) else error.code
    kind: Literal["Error", "Warning"] = "Warning" if code == "GAME_ROUND_NOT_FOUND" else "Error"
    return outbound_write(ErrorMessage(kind, code, error.message, event_id))


def amount_read(data: dict[str, Any], *names: str) -> Decimal | None:
    """Return the amount under the first of `names` that is present. Raises MessageError.

    Numbers and texts of numbers are accepted; null counts as absent.
    """
    for name in names:
        value = data.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
            raise MessageError(f"{name} is {json.type_name(value)}; a number is expected")
        try:
            return parse_plain(value) if isinstance(value, str) else Decimal(value)
        except ValueError:
            raise MessageError(f"{name} is no amount", code="INVALID_BET_AMOUNT") from None
    return None


def dealer_pace_read(data: dict[str, Any]) -> Pace:
    """Return the pace that `Authenticate` asks for. Raises MessageError."""
    name = data.get("dealerPace", "card")
    pace = DEALER_PACES.get(name) if isinstance(name, str) else None
    if pace is None:
        raise MessageError("dealerPace must be one of " + ", ".join(DEALER_PACES))
    return pace


_FIELD: Final = re.compile(r"at `\$\.(\w+)|required field `(\w+)`")
_FIELD_TEXTS: Final = {
    "eventType": "eventType must be one of " + ", ".join(kind.value for kind in EventType),
    "eventId": "eventId must be a string of 1 to 64 characters without NUL",
    "gameId": f"gameId must be {GAME_ID}",
    "action": "action must be one of " + ", ".join(action.value for action in WireAction),
    "data": "data must be an object",
    "payload": "payload must be an object",
}
_FIELD_CODES: Final = {"eventType": "INVALID_EVENT_TYPE", "gameId": "INVALID_GAME_ID", "action": "INVALID_ACTION"}
_identified: Final = msgspec.json.Decoder(_Identified)
_encoder: Final = msgspec.json.Encoder()
