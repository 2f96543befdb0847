"""The forms of the configuration RPCs: what comes in, what goes out, examples of both for the OpenAPI document."""

from decimal import Decimal
from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema_field
from rest_framework import serializers

from apps.baccarat.engine import GAME_TYPES_BY_NAME, WIRE_NAMES, GameType
from apps.baccarat.guard import edge_of
from apps.baccarat.models import BaccaratOddsConfig, ConfigStatus
from apps.cards.shoe import INFINITE_DECKS
from apps.core.edges import edge_rounded
from apps.core.fields import CurrencyField, NumberField, WholeField
from apps.core.json import type_name
from apps.core.openapi import DECIMAL_NUMBER, ERROR, int_enum, text_enum

MAX_ID: Final = 2**63 - 1


@extend_schema_field(text_enum("GameTypeName", list(WIRE_NAMES.values())))
class GameTypeField(serializers.Field[GameType, Any, str, Any]):
    """A bet by its name on the wire; the seed's slip `BetBaccaratGameBetTie` is read too."""

    def to_internal_value(self, data: Any) -> GameType:
        if not isinstance(data, str):
            raise serializers.ValidationError(f"a string is expected, not {type_name(data)}")
        if data not in GAME_TYPES_BY_NAME:
            raise serializers.ValidationError("there is no such bet")
        return GAME_TYPES_BY_NAME[data]

    def to_representation(self, value: int) -> str:
        return GameType(value).wire_name


STATUS: Final = int_enum("ConfigStatus", ConfigStatus)


@extend_schema_field(STATUS)
class StatusField(serializers.IntegerField):
    """Whether a row holds."""


class OddsOutput(serializers.Serializer[Any]):
    """What one bet pays. `status`: 0 inactive, 1 active, 2 pending, with the reason."""

    id = serializers.IntegerField()
    baccarat_config_id = serializers.IntegerField()
    game_type = GameTypeField()
    odds = NumberField(help_text="X to 1.")
    status = StatusField()
    house_edge = serializers.SerializerMethodField(
        help_text="What the house keeps of a stake of 1, rounded half even to eight decimals; below 0 it favours the"
        " player."
    )
    reason = serializers.CharField(help_text="Why the row is pending, or what the operator wrote on confirming it.")
    ctime = serializers.DateTimeField()
    mtime = serializers.DateTimeField()

    @extend_schema_field(DECIMAL_NUMBER)
    def get_house_edge(self, row: BaccaratOddsConfig) -> Decimal:
        return edge_rounded(edge_of(row.game_type, row.odds, row.baccarat_config.decks))


class ConfigOutput(serializers.Serializer[Any]):
    """The limits of one bet in a currency. `decks` 9 is an infinite deck; `version` grows with every change."""

    id = serializers.IntegerField()
    partner_id = serializers.IntegerField()
    currency = CurrencyField(source="currency_id")
    status = StatusField()
    decks = serializers.IntegerField(min_value=1, max_value=INFINITE_DECKS)
    bet_min = NumberField()
    bet_max = NumberField()
    version = serializers.IntegerField()
    ctime = serializers.DateTimeField()
    mtime = serializers.DateTimeField()
    odds = OddsOutput(many=True, source="offered", help_text="What is active or pending.")


class ConfigInput(serializers.Serializer[Any]):
    """Limits of one bet. Without `currency` they are in your default one: that of your first configuration."""

    bet_min = NumberField()
    bet_max = NumberField()
    currency = CurrencyField(required=False)
    decks = WholeField(low=1, high=9, required=False, help_text="1 to 8; 9 is an infinite deck.")


class OddsInput(serializers.Serializer[Any]):
    """What one bet is to pay. `status` 0 takes it off the table."""

    baccarat_config_id = WholeField(low=1, high=MAX_ID)
    game_type = GameTypeField()
    odds = NumberField(help_text="X to 1, with at most four decimals.")
    status = WholeField(
        low=0,
        high=1,
        schema={"allOf": [STATUS], "maximum": 1},
        required=False,
        help_text="1, on the table, by default; 0 takes it off.",
    )


ODDS_EXAMPLE: Final = {
    "id": 1,
    "baccarat_config_id": 1,
    "game_type": "BaccaratGameBetOnPlayer",
    "odds": 1,
    "status": 1,
    "house_edge": 0.01235081,
    "reason": "",
    "ctime": "2026-01-01T12:00:00Z",
    "mtime": "2026-01-01T12:00:00Z",
}
CONFIG_EXAMPLE: Final = {
    "id": 1,
    "partner_id": 1,
    "currency": "FUN",
    "status": 1,
    "decks": 8,
    "bet_min": 1,
    "bet_max": 1000,
    "version": 1,
    "ctime": "2026-01-01T12:00:00Z",
    "mtime": "2026-01-01T12:00:00Z",
    "odds": [ODDS_EXAMPLE],
}


def error_of(example_code: str, message: str) -> OpenApiResponse:
    """Return a refusal of that code for the document, with its example."""
    example = OpenApiExample(example_code, {"code": example_code, "message": message})
    return OpenApiResponse(ERROR, description=message, examples=[example])


ERRORS: Final = {
    401: error_of("AUTHENTICATION_FAILED", "no valid API key"),
    429: error_of("RATE_LIMITED", "more than 100 requests a second"),
    503: error_of("SERVICE_UNAVAILABLE", "the database does not answer; try again in a moment"),
}
SCOPE: Final = {403: error_of("SCOPE_MISSING", "this API key does not have the scope 'configure'")}
FOREIGN: Final = {403: error_of("FOREIGN_CONFIG", "baccarat_config_id: you have no configuration 7")}
BUSY: Final = {409: error_of("BUSY", "another action is in progress; try again in a moment")}
