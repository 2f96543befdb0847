"""The types of the lobby's requests and answers: the OpenAPI document is generated from them (docs/tables.md)."""

from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from apps.core import patterns
from apps.core.message_schemas import EXACT_NUMBER
from apps.core.struct_reading import EXPECTED
from apps.rounds.table_game import MAX_SEATS, PAUSE_MS, TURN_MS, WINDOW_MS, GameModel
from apps.rounds.table_message_types import (
    Amount,
    ClientSeed,
    Milliseconds,
    PlayerId,
    RoundId,
    Seat,
    SeedHash,
    ServerSeed,
    ShoeCounts,
    SignedAmount,
    TableId,
)
from apps.rounds.table_payloads import SeatContribution

NAME_CHARS = 60

Odds = Annotated[int | Decimal, Meta(extra_json_schema={"format": EXACT_NUMBER, "minimum": 0}, description="X to 1.")]
GameType = Annotated[str, Meta(max_length=20, extra_json_schema={"pattern": "^[a-z_]{1,20}$"})]
CurrencyCode = Annotated[
    str, Meta(pattern=patterns.CURRENCY, extra={EXPECTED: "a string of 1 to 8 letters and digits"})
]
BetName = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9A-Za-z_]{1,40}$"})]
RoomName = Annotated[str, Meta(min_length=1, max_length=NAME_CHARS)]
RoomNameWish = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=NAME_CHARS,
        pattern="^[^\\u0000-\\u001f\\u007f]+$",
        extra={EXPECTED: f"a string of 1 to {NAME_CHARS} characters without control characters"},
    ),
]
"""PostgreSQL stores no NUL in a text, and the other control characters are not readable."""

Contribution = Annotated[
    str,
    Meta(pattern="^[0-9a-f]{32}$", extra={EXPECTED: "a string of 32 hexadecimal digits (0 to 9, a to f)"}),
]


def _bounds(least: int, most: int, description: str = "") -> Meta:
    """Return bounds for the document alone: a refusal names those of the room's own game."""
    return Meta(description=description or None, extra_json_schema={"minimum": least, "maximum": most})


def _seconds(span_ms: tuple[int, int], description: str = "") -> Meta:
    return _bounds(span_ms[0] // 1000, span_ms[1] // 1000, description)


BY_GAME: Final = "Some games allow less."


class RoomStatus(Enum):
    """A table's status."""

    WAITING = "waiting"
    BETTING = "betting"
    PLAYING = "playing"
    PAUSE = "pause"
    CLOSED = "closed"


class TableRoundEnding(Enum):
    """The end of a round."""

    RUNNING = "running"
    SETTLED = "settled"
    UNSTAKED = "unstaked"
    VOIDED = "voided"


class Wire(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """The base of the answers."""


class Asked(msgspec.Struct, rename="camel", kw_only=True):
    """The base of the requests. Unlisted members are ignored."""


class TableTokenInput(Asked):
    """The currency of the session; by default the player's own, or that of the partner's session."""

    currency: CurrencyCode | UnsetType = UNSET


class TableToken(Wire, kw_only=True):
    """A session at the tables; pass its token in `authenticate` and as `Authorization: Bearer`."""

    token: Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9A-Za-z_-]{43}$"})]
    session_id: Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
    expires_at: Milliseconds


class PlayerCount(Wire, kw_only=True):
    """The number of players at a table."""

    min: int
    max: int


class TableGameSummary(Wire, kw_only=True):
    """A game that has tables."""

    game_type: GameType
    name: RoomName
    category: Annotated[str, Meta(extra_json_schema={"pattern": "^[a-z]+$"})]
    game_model: GameModel
    players: PlayerCount
    spec_version: Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"})]
    schema_format: Annotated[str, Meta(extra_json_schema={"const": "json-schema"})]


class TableGameList(Wire, kw_only=True):
    """The games that have tables."""

    games: list[TableGameSummary]


class RoomPlayer(Wire, kw_only=True):
    """A player at a table."""

    seat: Seat
    player_id: PlayerId
    display_name: Annotated[str, Meta(max_length=64)]
    bot: bool
    """Whether it is a practice bot of the house."""
    points: int | UnsetType = UNSET
    """The score at a points table."""


class StakeSpan(Wire, kw_only=True):
    """The lowest and the highest stake on a bet."""

    min_amount: Amount
    max_amount: Amount


class TableRoom(Wire, kw_only=True):
    """A table."""

    id: TableId
    game_type: GameType
    name: RoomName
    currency: CurrencyCode | None
    """Null: the table keeps score in points."""
    player_count: int
    max_players: int
    min_buyin: Amount
    """The lowest stake."""
    max_buyin: Amount
    """The highest stake on one bet; at a points table that for a score of 0."""
    game_status: RoomStatus
    created_at: Milliseconds
    players: list[RoomPlayer]
    private: bool
    """Not in the lobby; anyone with the address can open it."""
    rules: dict[str, Any]
    limits: dict[str, StakeSpan]
    odds: dict[str, Odds]
    window_seconds: Amount
    turn_seconds: Amount
    pause_seconds: Amount
    cut_card: int
    round_number: int
    chain_commitment: SeedHash
    """s_0 of the running chain of seeds."""
    chain_first_round: int
    """The number of the round that is dealt with s_1."""
    contribution_required: bool
    """For real money: `join` needs a `clientSeed`."""
    previous_results: list[dict[str, Any]]
    """In the form of the game's messages, the latest last."""


class SeatedRoom(TableRoom, kw_only=True):
    """A table and the player's seat."""

    seat: Seat


class TableRoomList(Wire, kw_only=True):
    """The tables that the session may see, without the private tables of others."""

    rooms: list[TableRoom]


class StakeSpanInput(Asked):
    """The lowest and the highest stake on a bet."""

    min_amount: Amount
    max_amount: Amount


class RoomInput(Asked):
    """A new table: a player's own for points, or a partner's by an API key with the scope `configure`.

    Omitted members take the game's defaults.
    """

    game_type: GameType
    currency: CurrencyCode | UnsetType = UNSET
    points: bool = False
    name: RoomNameWish | UnsetType = UNSET
    seats: Annotated[int, _bounds(1, MAX_SEATS, BY_GAME)] | UnsetType = UNSET
    rules: dict[str, Any] | UnsetType = UNSET
    limits: dict[str, StakeSpanInput] | UnsetType = UNSET
    odds: dict[str, Odds] | UnsetType = UNSET
    window_seconds: Annotated[int, _seconds(WINDOW_MS, BY_GAME)] | UnsetType = UNSET
    turn_seconds: Annotated[int, _seconds(TURN_MS)] | UnsetType = UNSET
    pause_seconds: Annotated[int, _seconds(PAUSE_MS)] | UnsetType = UNSET
    cut_card: int | UnsetType = UNSET
    private: bool = False


class JoinInput(Asked):
    """The seat, and its contribution to the client seeds of its rounds: 32 hexadecimal digits."""

    seat: Annotated[int, Meta(ge=1, le=MAX_SEATS)] | UnsetType = UNSET
    client_seed: Contribution | UnsetType = UNSET


class RecordedStake(Wire, kw_only=True):
    """The stakes of a seat at the deal."""

    seat: Seat
    player_id: PlayerId
    bets: dict[str, Amount]


class RecordedAction(Wire, kw_only=True):
    """An action of a round; a default action has `timeout` true."""

    seat: Seat
    action: BetName
    amount: Amount | None
    bet_type: BetName | UnsetType = UNSET
    timeout: bool
    extra: dict[str, Amount] | UnsetType = UNSET
    """Further stakes of the same action."""


class RecordedResult(msgspec.Struct, rename="camel", kw_only=True):
    """A seat's result of a round, as in `round_result`, with all that the game adds there."""

    seat: Seat
    player_id: PlayerId
    hands: list[dict[str, Any]]
    stakes: Amount
    payout: SignedAmount
    net: SignedAmount


class TableRoundRecord(Wire, kw_only=True):
    """A round with all data to deal it again. Until it has ended, `seed` is null and no actions are listed."""

    round_id: RoundId
    round_number: int
    ending: TableRoundEnding
    seed_hash: SeedHash
    seed: ServerSeed | None
    nonce: int
    contributions: list[SeatContribution]
    client_seed: ClientSeed
    shoe: ShoeCounts | None
    """Null: infinite decks."""
    decks: int | None
    rules: dict[str, Any]
    odds: dict[str, Odds]
    stakes: list[RecordedStake]
    actions: list[RecordedAction]
    results: list[RecordedResult]
    table: dict[str, Any]
    """The cards that belong to no seat: the dealer's, or the sides'."""
