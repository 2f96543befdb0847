"""The serializers of the configuration RPCs, with examples for the OpenAPI document."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema_field
from rest_framework import serializers

from apps.cards.shoe import INFINITE_DECKS
from apps.core.edge_rounding import edge_rounded
from apps.core.errors import shortened
from apps.core.fields import CurrencyField, NumberField, WholeField
from apps.core.json import type_name
from apps.core.openapi import DECIMAL_NUMBER, ERROR, int_enum, text_enum
from apps.one_deal.engine import BetKind
from apps.one_deal.models import ConfigStatus, OneDealOdds
from apps.one_deal.odds_guard import edge_of
from apps.one_deal.one_deal_game import OneDealGame

MAX_ID: Final = 2**63 - 1
VERSION_HELP: Final = "The version that you have read: if it has changed since, nothing is saved and the answer is 409."
STATUS: Final = int_enum("ConfigStatus", ConfigStatus)


class GameTypeField(serializers.Field[BetKind, Any, str, Any]):
    """A bet's name on the wire; the game's aliases are accepted too."""

    game: ClassVar[OneDealGame]

    def to_internal_value(self, data: Any) -> BetKind:
        if not isinstance(data, str):
            raise serializers.ValidationError(f"a string is expected, not {type_name(data)}")
        if data not in self.game.bets_by_name:
            known = ", ".join(bet.wire_name for bet in self.game.bets)
            raise serializers.ValidationError(f"there is no bet {shortened(data)!r}; there is {known}")
        return self.game.bets_by_name[data]

    def to_representation(self, value: int) -> str:
        return self.game.bets(value).wire_name


@extend_schema_field(STATUS)
class StatusField(serializers.IntegerField):
    """A row's status."""


class _OddsOutput(serializers.Serializer[Any]):
    game: ClassVar[OneDealGame]

    @extend_schema_field(DECIMAL_NUMBER)
    def get_house_edge(self, row: OneDealOdds) -> Decimal:
        return edge_rounded(edge_of(self.game, row.game_type, row.odds, row.limits.decks))


Form = type[serializers.Serializer[Any]]


@dataclass(frozen=True, slots=True)
class ConfigSerializers:
    """The serializers of one game, and examples of answers."""

    odds_input: Form
    odds_output: Form
    config_input: Form
    config_output: Form
    odds_example: dict[str, object]
    config_example: dict[str, object]


@cache
def config_serializers(game: OneDealGame) -> ConfigSerializers:
    """Return the game's serializers. Their names in the OpenAPI document begin with `shared_schema_name`."""
    game_type = _game_type_field(game)
    odds_output = _odds_output(game, game_type)
    odds_example = _odds_example(game)
    return ConfigSerializers(
        odds_input=_odds_input(game, game_type),
        odds_output=odds_output,
        config_input=_config_input(game),
        config_output=_config_output(game, odds_output),
        odds_example=odds_example,
        config_example={
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
            "odds": [odds_example],
        },
    )


def number_of(odds: Fraction) -> int | float:
    """Return odds as a number of an example."""
    return odds.numerator if odds.denominator == 1 else float(odds)


def error_of(example_code: str, message: str) -> OpenApiResponse:
    """Return a refusal of that code for the document, with its example."""
    example = OpenApiExample(example_code, {"code": example_code, "message": message})
    return OpenApiResponse(ERROR, description=message, examples=[example])


def _form(game: OneDealGame, name: str, doc: str, members: dict[str, object], base: Form | None = None) -> Form:
    """Return a serializer with this name in the OpenAPI document; its docstring is the description there."""
    attributes = {"__doc__": doc, "__module__": __name__, "game": game} | members
    form: Form = type(game.shared_schema_name + name, (base or serializers.Serializer,), attributes)
    return form


def _game_type_field(game: OneDealGame) -> type[GameTypeField]:
    names = text_enum(f"{game.shared_schema_name}GameTypeName", [kind.wire_name for kind in game.bets])
    field: type[GameTypeField] = type("GameTypeField", (GameTypeField,), {"game": game})
    return extend_schema_field(names)(field)


def _odds_output(game: OneDealGame, game_type: type[GameTypeField]) -> Form:
    members = {
        "id": serializers.IntegerField(),
        f"{game.config_field}_id": serializers.IntegerField(),
        "game_type": game_type(),
        "odds": NumberField(help_text="X to 1."),
        "status": StatusField(),
        "house_edge": serializers.SerializerMethodField(
            help_text="House edge: the average loss of a stake of 1, rounded half even to eight decimals; a negative"
            " one favours the player."
        ),
        "reason": serializers.CharField(
            help_text="Why the row is pending, or the operator's text of the confirmation."
        ),
        "ctime": serializers.DateTimeField(),
        "mtime": serializers.DateTimeField(),
    }
    doc = "The odds of one bet. `status`: 0 inactive, 1 active, 2 pending, with the reason."
    return _form(game, "OddsOutput", doc, members, _OddsOutput)


def _config_output(game: OneDealGame, odds_output: Form) -> Form:
    members = {
        "id": serializers.IntegerField(),
        "partner_id": serializers.IntegerField(),
        "currency": CurrencyField(source="currency_id"),
        "status": StatusField(),
        "decks": serializers.IntegerField(min_value=1, max_value=INFINITE_DECKS),
        "bet_min": NumberField(),
        "bet_max": NumberField(),
        "version": serializers.IntegerField(),
        "ctime": serializers.DateTimeField(),
        "mtime": serializers.DateTimeField(),
        "odds": odds_output(many=True, source="offered", help_text="The active and pending odds."),
    }
    doc = "The limits of one bet in a currency. `decks` 9 is an infinite deck; `version` grows with every change."
    return _form(game, "ConfigOutput", doc, members)


def _config_input(game: OneDealGame) -> Form:
    members = {
        "bet_min": NumberField(),
        "bet_max": NumberField(),
        "currency": CurrencyField(required=False),
        "decks": WholeField(low=1, high=9, required=False, help_text="1 to 8; 9 is an infinite deck."),
        "version": WholeField(low=1, high=MAX_ID, required=False, help_text=VERSION_HELP),
    }
    doc = "Limits of one bet. Without `currency` they are in your default currency: that of your first configuration."
    return _form(game, "ConfigInput", doc, members)


def _odds_input(game: OneDealGame, game_type: type[GameTypeField]) -> Form:
    members = {
        f"{game.config_field}_id": WholeField(low=1, high=MAX_ID, help_text="The id of the limits."),
        "game_type": game_type(),
        "odds": NumberField(help_text="X to 1, with at most four decimals."),
        "status": WholeField(
            low=0,
            high=1,
            schema={"allOf": [STATUS], "maximum": 1},
            required=False,
            help_text="1 by default; 0 turns the bet off.",
        ),
        "version": WholeField(
            low=1, high=MAX_ID, required=False, help_text=f"The version of the limits. {VERSION_HELP}"
        ),
    }
    return _form(game, "OddsInput", "The odds of one bet. `status` 0 turns the bet off.", members)


def _odds_example(game: OneDealGame) -> dict[str, object]:
    kind = game.first_bets[0]
    odds = game.standard_odds[kind]
    return {
        "id": 1,
        f"{game.config_field}_id": 1,
        "game_type": kind.wire_name,
        "odds": number_of(odds),
        "status": 1,
        "house_edge": float(edge_rounded(game.house_edge(kind, odds, 8))),
        "reason": "",
        "ctime": "2026-01-01T12:00:00Z",
        "mtime": "2026-01-01T12:00:00Z",
    }


ERRORS: Final = {
    401: error_of("AUTHENTICATION_FAILED", "no valid API key"),
    429: error_of("RATE_LIMITED", "more than 100 requests a second"),
    503: error_of("SERVICE_UNAVAILABLE", "the database does not answer; try again in a moment"),
}
SCOPE: Final = {403: error_of("SCOPE_MISSING", "this API key does not have the scope 'configure'")}
BUSY: Final = {
    409: OpenApiResponse(
        ERROR,
        description="Another action is in progress, or the row has changed since you read it.",
        examples=[
            OpenApiExample("BUSY", {"code": "BUSY", "message": "another action is in progress; try again in a moment"}),
            OpenApiExample(
                "OUTDATED_VERSION",
                {
                    "code": "OUTDATED_VERSION",
                    "message": "version 3 was read, and it is 4 now: ...",
                },
            ),
        ],
    )
}


def foreign(game: OneDealGame) -> dict[int, OpenApiResponse]:
    """Return the refusal for another partner's limits."""
    return {403: error_of("FOREIGN_CONFIG", f"0.{game.config_field}_id: you have no configuration 7")}
