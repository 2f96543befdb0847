"""The partner API's serializers for requests and answers, with examples for the OpenAPI document."""

import re
from datetime import date
from typing import Any, Final

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from drf_spectacular.drainage import set_override
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema_field
from rest_framework import serializers

from apps.accounts.models import Player, PlayerStatus
from apps.core import patterns
from apps.core.fields import (
    AmountInField,
    AmountSerializerField,
    ChoiceField,
    ClientSeedField,
    CurrencyField,
    FlagField,
    ObjectField,
    ReferenceField,
    RoundClientSeedField,
    SeedField,
    TextField,
    TimeQueryField,
    WholeQueryField,
)
from apps.core.openapi import PROBLEM, text_enum
from apps.core.pagination import MAX_PAGE_ROWS, PAGE_ROWS
from apps.fairness.examples import EXAMPLE_COMMITMENT
from apps.office.round_api.serializers import RoundActionOutput, RoundBetOutput
from apps.partners.frame_origins import MAX_ORIGINS
from apps.rounds.explanation import Explanation
from apps.rounds.models import Device, RoundEnd
from apps.rounds.registry import game_ids, games
from apps.tables.registry import table_games
from apps.wallet.models import WalletStatus
from apps.wallet.services import MAX_TRANSACTION_ID_CHARS

FIRST_DAY: Final = date(2000, 1, 1)
LAST_DAY: Final = date(2999, 12, 31)


class PlayerInput(serializers.Serializer[Any]):
    """A player and the currency it plays in."""

    reference = ReferenceField(help_text="Your own name for the player: ASCII without spaces.")
    currency = CurrencyField(max_length=8)


class WalletOutput(serializers.Serializer[Any]):
    """A player's balance in one currency."""

    currency = CurrencyField(source="currency_id")
    balance = AmountSerializerField()
    status = ChoiceField(
        name="WalletStatus",
        choices=WalletStatus.values,
        help_text="That of the wallet. A player can be blocked while all wallets are active.",
    )


class PlayerOutput(serializers.Serializer[Any]):
    """A player with its wallets."""

    reference = ReferenceField()
    currency = CurrencyField(source="currency_id", help_text="The currency of the first wallet.")
    status = ChoiceField(
        name="PlayerStatus",
        choices=PlayerStatus.values,
        help_text="A blocked player can neither play nor move funds.",
    )
    created_at = serializers.DateTimeField(source="ctime")
    wallets = WalletOutput(many=True)


class PlayerWalletsOutput(serializers.Serializer[Any]):
    """A player's wallets."""

    player = ReferenceField(source="reference")
    wallets = WalletOutput(many=True)


class GameField(ChoiceField):
    """A game for a session; the service refuses unknown ones with its own code."""

    def to_internal_value(self, data: Any) -> str:
        return str(TextField(max_length=20).run_validation(data))


class TableGameTypeField(ChoiceField):
    """A game at tables; the registry refuses unknown ones with a code of its own."""

    def to_internal_value(self, data: Any) -> str:
        return str(TextField(max_length=20).run_validation(data))


class ReturnUrlField(TextField):
    """The page for a player who leaves the game, or an empty text."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            max_length=200, allow_blank=True, validators=[URLValidator(schemes=["http", "https"])], **kwargs
        )
        url = {"type": "string", "format": "uri", "pattern": "^https?://", "maxLength": 200}
        set_override(self, "field", {"anyOf": [url, {"type": "string", "const": ""}]})


class SessionInput(serializers.Serializer[Any]):
    """A player and a game."""

    player = ReferenceField(help_text="The player's reference.")
    game_id = GameField(
        name="Game",
        choices=game_ids(),
        required=False,
        help_text="The game that the launch link opens. Without it the link opens the live tables.",
    )
    gameType = TableGameTypeField(  # noqa: N815 - as the table protocol has it
        name="TableGame",
        choices=list(table_games()),
        required=False,
        help_text="The only game that may be played at live tables; without it and `game_id` all games.",
    )
    currency = CurrencyField(max_length=8)
    return_url = ReturnUrlField(required=False, help_text="The page for a player who leaves the game.")
    cashier_url = ReturnUrlField(
        required=False, help_text="Where a player without money gets more: https, within your frame origins."
    )
    language = ChoiceField(name="Language", choices=list(dict(settings.LANGUAGES)), required=False)
    device = ChoiceField(
        name="Device", choices=Device.values, required=False, help_text="What the player uses; for your statistics."
    )
    embed = FlagField(required=False, help_text="Whether the table is shown in a frame of your page.")
    client_seed = ClientSeedField(
        required=False,
        help_text="The player's first client seed; accepted once, before the player's first round.",
    )


class SessionOutput(serializers.Serializer[Any]):
    """A session; its id is a bearer credential of the player: pass it on, keep it out of logs. An embedded session has
    none: its launch URL ends in a code that opens the table once, within a minute."""

    game_session_id = serializers.UUIDField(required=False)
    expires_at = serializers.DateTimeField()
    launch_url = serializers.URLField()


class FrameOriginsInput(serializers.Serializer[Any]):
    """All origins whose pages may show the tables in a frame; they replace those before."""

    frame_origins = serializers.ListField(
        child=TextField(max_length=300, help_text="https://, a host and perhaps a port; no wildcard, no path."),
        max_length=MAX_ORIGINS,
    )
    version = TextField(
        max_length=18,
        required=False,
        help_text="The version that you have read. If somebody else has replaced it since, nothing is saved.",
    )


class FrameOriginsOutput(serializers.Serializer[Any]):
    """The origins in normal form, sorted, and their version."""

    frame_origins = serializers.ListField(child=TextField(max_length=262))
    version = TextField(max_length=18)


class TransferInput(serializers.Serializer[Any]):
    """Funds to move into a player's wallet or out of it."""

    player = ReferenceField(help_text="The player's reference.")
    currency = CurrencyField(max_length=8)
    amount = AmountInField(any_size=True, help_text="Positive; a number or a text.")
    transaction_id = TextField(
        max_length=MAX_TRANSACTION_ID_CHARS, help_text="Your own id: each moves funds once, in or out."
    )


class TransferOutput(serializers.Serializer[Any]):
    """The movement, and the balance after it."""

    transaction_id = TextField(max_length=MAX_TRANSACTION_ID_CHARS)
    player = ReferenceField()
    currency = CurrencyField()
    amount = AmountSerializerField()
    balance = AmountSerializerField()


class RoundsQuery(serializers.Serializer[Any]):
    """The filter of rounds, and the end of the previous page."""

    player = ReferenceField(required=False, help_text="A player's reference.")
    game = ChoiceField(name="Game", choices=game_ids(), required=False)
    since = TimeQueryField(
        required=False, help_text="Rounds that began then or later: ISO 8601, in UTC if it has no zone."
    )
    until = TimeQueryField(required=False, help_text="Rounds that began before: a time like `since`.")
    cursor = TextField(max_length=200, required=False, help_text="`next_cursor` of the previous page.")
    limit = WholeQueryField(low=1, high=MAX_PAGE_ROWS, default=PAGE_ROWS)


class RoundOutput(serializers.Serializer[Any]):
    """A round. `stake` and `payout` are sums over all its bets; the payout includes the stakes."""

    id = serializers.UUIDField(source="played.id")
    player = ReferenceField(source="played.player.reference")
    game = ChoiceField(name="Game", choices=game_ids(), source="played.game")
    currency = CurrencyField(source="played.currency_id")
    status = serializers.SerializerMethodField()
    void_reason = serializers.SerializerMethodField()
    started_at = serializers.DateTimeField(source="played.started_at")
    ended_at = serializers.DateTimeField(source="played.ended_at", allow_null=True)
    stake = AmountSerializerField(source="played.stake")
    payout = AmountSerializerField(source="played.payout")
    balance_before = AmountSerializerField(source="played.balance_before")
    balance_after = AmountSerializerField(source="played.balance_after")
    config_version = serializers.IntegerField(
        source="played.config_version",
        min_value=0,
        help_text="The version of the limits at the bet; at a live table, that of the table.",
    )
    outcome = ObjectField(help_text="The cards and results; empty until the round has been played.")
    bets = RoundBetOutput(many=True)
    actions = RoundActionOutput(many=True)
    server_seed_hash = SeedField(source="source.commitment")
    server_seed = serializers.SerializerMethodField()
    client_seed = RoundClientSeedField(source="source.client_seed")
    nonce = serializers.IntegerField(source="played.nonce", min_value=0)

    @extend_schema_field(text_enum("RoundStatus", ["open", *filter(None, RoundEnd.values)]))
    def get_status(self, explained: Explanation) -> str:
        """Return the status; a round that was played and voided later is voided."""
        return RoundEnd.VOIDED.value if self.get_void_reason(explained) else explained.played.how_ended or "open"

    @extend_schema_field({"type": ["string", "null"]})
    def get_void_reason(self, explained: Explanation) -> str | None:
        void = getattr(explained.played, "void", None)
        return None if void is None else void.reason

    @extend_schema_field({"type": ["string", "null"], "pattern": patterns.SEED})
    def get_server_seed(self, explained: Explanation) -> str | None:
        """Return the seed once it is revealed."""
        return explained.source.server_seed or None


class RoundsOutput(serializers.Serializer[Any]):
    """A page of rounds, newest first."""

    results = RoundOutput(many=True)
    next_cursor = serializers.CharField(allow_null=True)


@extend_schema_field({"type": "string", "format": "date", "pattern": patterns.DAY})
class DayField(serializers.DateField):
    """A day of the years 2000 to 2999, only in the documented form."""

    def __init__(self, **kwargs: Any) -> None:
        between = [MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)]
        super().__init__(validators=between, error_messages={"invalid": "there is no such day"}, **kwargs)

    def to_internal_value(self, data: Any) -> date:
        if not isinstance(data, str) or not re.fullmatch(patterns.DAY, data):
            raise serializers.ValidationError("a day of the years 2000 to 2999 is expected, such as 2026-03-01")
        day: date = super().to_internal_value(data)
        return day


class SummaryQuery(serializers.Serializer[Any]):
    """The days; the default is the last thirty."""

    first_day = DayField(
        required=False, help_text="Included; by default 29 days before `last_day`, and at most 365 days before it."
    )
    last_day = DayField(required=False, help_text="Included; by default the present day in UTC, also with `days=own`.")
    days = ChoiceField(
        name="Days",
        choices=["utc", "own"],
        required=False,
        help_text="Whether days are UTC's, the default, or those of your time zone.",
    )
    game = ChoiceField(name="Game", choices=game_ids(), required=False)


class TotalOutput(serializers.Serializer[Any]):
    """Revenue in one currency. A round counts on the day it ended, a void on its own day in the columns of voids.

    `ggr` is `stakes` minus `payouts`, less what was voided; `hold_pct` is `ggr` as a percentage of the stakes that were
    not voided.
    """

    currency = CurrencyField()
    rounds = serializers.IntegerField(min_value=0)
    bets = serializers.IntegerField(min_value=0)
    stakes = AmountSerializerField()
    payouts = AmountSerializerField()
    voided_rounds = serializers.IntegerField(min_value=0)
    voided_stakes = AmountSerializerField()
    voided_payouts = AmountSerializerField()
    ggr = AmountSerializerField()
    hold_pct = AmountSerializerField(allow_null=True)


class SummaryRowOutput(TotalOutput):
    """Revenue of one day, game and currency."""

    day = serializers.DateField()
    game = ChoiceField(name="Game", choices=game_ids())


class SummaryOutput(serializers.Serializer[Any]):
    """A report: rows by day, game and currency, and their sums by currency."""

    first_day = serializers.DateField()
    last_day = serializers.DateField()
    as_of = serializers.DateTimeField(allow_null=True, help_text="The report contains all that ended before this time.")
    rows = SummaryRowOutput(many=True)
    totals = TotalOutput(many=True)


class OnePlayer:
    """A player with wallets, for `PlayerOutput`."""

    def __init__(self, player: Player, wallets: list[Any]) -> None:
        self.reference = player.reference
        self.currency_id = player.currency_id
        self.status = player.status
        self.ctime = player.ctime
        self.wallets = wallets


def problems(*statuses: int) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the documented refusals of a call; 401, 429 and 503 are always included."""
    meanings = {
        400: "Not JSON, or a field or parameter that is missing, unknown or invalid.",
        401: "No valid key.",
        403: "Well-formed, but refused: a scope, an amount, a currency, a game, funds, a blocked player.",
        404: "No such player of yours; for a session also: no such game at tables.",
        409: "The key, transaction id or client seed was used before, the version is outdated, or the wallet is busy.",
        429: "Too many requests; see Retry-After.",
        503: "The database does not answer; see Retry-After.",
    }
    return {
        (status, "application/problem+json"): OpenApiResponse(PROBLEM, meanings[status])
        for status in sorted({401, 429, 503, *statuses})
    }


PLAYER_PATH_PARAMETER: Final = OpenApiParameter(
    "player",
    {"type": "string", "pattern": patterns.REFERENCE},
    OpenApiParameter.PATH,
    description="The player's reference, percent-encoded. `deposit` and `withdraw` cannot be read by this call.",
)
IDEMPOTENCY_KEY: Final = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": patterns.IDEMPOTENCY_KEY},
    OpenApiParameter.HEADER,
    required=True,
    description="1 to 128 characters of ASCII without spaces. The same key with the same body gets the same answer.",
)
_WALLET: Final = {"currency": "EUR", "balance": "125.5", "status": "active"}
PLAYER_EXAMPLES: Final = [
    OpenApiExample("New player", {"reference": "anna-17", "currency": "EUR"}, request_only=True),
    OpenApiExample(
        "The player",
        {
            "reference": "anna-17",
            "currency": "EUR",
            "status": "active",
            "created_at": "2026-03-01T12:00:00Z",
            "wallets": [{"currency": "EUR", "balance": "0", "status": "active"}],
        },
        response_only=True,
        status_codes=["200", "201"],
    ),
]
SESSION_EXAMPLES: Final = [
    OpenApiExample(
        "Open a game",
        {
            "player": "anna-17",
            "game_id": game_ids()[-1],
            "currency": "EUR",
            "return_url": "https://casino.example/lobby",
        },
        request_only=True,
    ),
    OpenApiExample(
        "Open a game in a frame",
        {
            "player": "anna-17",
            "game_id": game_ids()[-1],
            "currency": "EUR",
            "embed": True,
            "language": "de",
            "cashier_url": "https://casino.example/cashier",
        },
        request_only=True,
    ),
    OpenApiExample(
        "The session",
        {
            "game_session_id": "0d6f1f6e-5d0c-4b43-9f5e-0f3c5c0b9a51",
            "expires_at": "2026-03-02T00:00:00Z",
            "launch_url": "https://punto.example/launch/?game_session_id=0d6f1f6e-5d0c-4b43-9f5e-0f3c5c0b9a51",
        },
        response_only=True,
        status_codes=["201"],
    ),
]
FRAME_ORIGINS_EXAMPLES: Final = [
    OpenApiExample(
        "Origins",
        {"frame_origins": ["https://casino.example", "https://play.casino.example"], "version": "48290417352261"},
        request_only=True,
    ),
    OpenApiExample(
        "The origins",
        {"frame_origins": ["https://casino.example", "https://play.casino.example"], "version": "61053378240417"},
        response_only=True,
    ),
]
TRANSFER_EXAMPLES: Final = [
    OpenApiExample(
        "Transfer",
        {"player": "anna-17", "currency": "EUR", "amount": "25.5", "transaction_id": "tx-4711"},
        request_only=True,
    ),
    OpenApiExample(
        "Done",
        {"transaction_id": "tx-4711", "player": "anna-17", "currency": "EUR", "amount": "25.5", "balance": "125.5"},
        response_only=True,
        status_codes=["200"],
    ),
    OpenApiExample(
        "Not enough",
        {
            "type": "urn:punto:error:insufficient-funds",
            "title": "Insufficient funds",
            "status": 403,
            "detail": "amount: 30 is more than the wallet holds, 25.5 EUR",
            "code": "INSUFFICIENT_FUNDS",
            "field": "amount",
        },
        response_only=True,
        status_codes=["403"],
        media_type="application/problem+json",
    ),
]
WALLETS_EXAMPLES: Final = [
    OpenApiExample("Wallets", {"player": "anna-17", "wallets": [_WALLET]}, response_only=True, status_codes=["200"])
]
ROUNDS_EXAMPLES: Final = [
    OpenApiExample(
        "One page",
        {
            "results": [
                {
                    "id": "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c901",
                    "player": "anna-17",
                    "game": game.id,
                    "currency": "EUR",
                    "status": "played",
                    "void_reason": None,
                    "started_at": "2026-03-01T12:00:00Z",
                    "ended_at": "2026-03-01T12:00:00Z",
                    "balance_before": "115.5",
                    "balance_after": "125",
                    "config_version": 3,
                    **game.documents.listed_round_example,
                    "server_seed_hash": EXAMPLE_COMMITMENT,
                    "server_seed": None,
                    "client_seed": "punto",
                    "nonce": 0,
                }
                for game in games()
                if game.documents.listed_round_example is not None
            ],
            "next_cursor": None,
        },
        response_only=True,
        status_codes=["200"],
    )
]
_REVENUE: Final = {
    "currency": "EUR",
    "rounds": 400,
    "bets": 520,
    "stakes": "5200",
    "payouts": "5135",
    "voided_rounds": 2,
    "voided_stakes": "20",
    "voided_payouts": "5",
    "ggr": "50",
    "hold_pct": "0.9653",
}
SUMMARY_EXAMPLES: Final = [
    OpenApiExample(
        "One day",
        {
            "first_day": "2026-03-01",
            "last_day": "2026-03-01",
            "as_of": "2026-03-02T09:30:00Z",
            "rows": [{"day": "2026-03-01", "game": game_ids()[0], **_REVENUE}],
            "totals": [_REVENUE],
        },
        response_only=True,
        status_codes=["200"],
    )
]
