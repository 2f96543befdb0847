"""Blackjack's HTTP side: limits, rules, the details of a round (docs/protocol.md, "Who may call what")."""

from decimal import Decimal
from typing import Any

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.actors import actor_of_key
from apps.blackjack.apps import GAME_ID
from apps.blackjack.configuration import BlackjackLimits, LimitsRow, blackjack_limits_set_all
from apps.blackjack.models import BlackjackConfig
from apps.blackjack.selectors import config_body
from apps.core.api_view import APIView
from apps.core.client_address import request_address
from apps.core.errors import BadParams, InvalidCurrency
from apps.core.fields import AmountInField, AmountSerializerField, CurrencyField, FlagField, TextField, WholeField
from apps.core.models import Currency
from apps.partners.authentication import MayConfigure, PartnerKeyAuthentication
from apps.partners.models import Partner
from apps.partners.services import partner_currency_code
from apps.rounds.api import SESSION_QUERY_PARAMETER, query_required, wire_errors
from apps.rounds.game_sessions import game_session_use

GAME_PARAMETER = OpenApiParameter("game_id", {"type": "string", "const": GAME_ID}, required=True)

CONFIG_EXAMPLE = {
    "id": 1,
    "gameId": GAME_ID,
    "active": True,
    "currency": "FUN",
    "maxBet": "1000",
    "minBet": "1",
    "customProps": {
        "perfectPairsMaxBet": "100",
        "perfectPairsMinBet": "1",
        "pokerMaxBet": "100",
        "pokerMinBet": "1",
    },
    "rules": {"decks": 8, "dealer_hits_soft_17": False},
    "odds": {"perfectPairs": {"perfectPair": "25"}, "poker": {"flush": "5"}},
}


WIRE_NAMES = {
    "bet_min": "min_bet",
    "bet_max": "max_bet",
    **{f"{bet}_{end}": f"custom_props.{bet}_{end}_bet" for bet in ("perfect_pairs", "poker") for end in ("min", "max")},
}
"""The names of the limits on the wire."""


class CustomProps(serializers.Serializer[Any]):
    """Limits of the side bets; a maximum of 0 turns one off."""

    perfect_pairs_min_bet = AmountInField(required=False)
    perfect_pairs_max_bet = AmountInField(required=False)
    poker_min_bet = AmountInField(required=False)
    poker_max_bet = AmountInField(required=False)


class BlackjackField(TextField):
    """The id of the only game that this call configures."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        set_override(self, "field", {"type": "string", "const": GAME_ID})


class GameConfigInput(serializers.Serializer[Any]):
    """The limits of one game in one currency."""

    game_id = BlackjackField()
    currency = CurrencyField(required=False, help_text="Your default currency if it is left out.")
    min_bet = AmountInField()
    max_bet = AmountInField()
    free_play = FlagField(
        required=False,
        help_text="Whether a bet of 0 is accepted; unchanged if left out. Without free play `min_bet` is above 0.",
    )
    custom_props = CustomProps(required=False)
    version = WholeField(
        low=1,
        high=2**63 - 1,
        required=False,
        help_text="The version that you have read: if it has changed since, nothing is saved and the answer is 409.",
    )


class GameConfigsInput(serializers.Serializer[Any]):
    """One or more games; all are saved or none."""

    data = GameConfigInput(many=True, allow_empty=False)  # type: ignore[assignment]  # DRF: a field of that name


class CustomPropsOutput(serializers.Serializer[Any]):
    """Limits of the side bets as plain texts; a maximum of 0 turns one off."""

    perfectPairsMaxBet = AmountSerializerField()  # noqa: N815 - the wire's names
    perfectPairsMinBet = AmountSerializerField()  # noqa: N815
    pokerMaxBet = AmountSerializerField()  # noqa: N815
    pokerMinBet = AmountSerializerField()  # noqa: N815


class GameConfigOutput(serializers.Serializer[Any]):
    """Limits, rules and odds. Without active terms, `rules` and `odds` are null and `active` is false."""

    id = serializers.IntegerField(min_value=1)
    gameId = BlackjackField()  # noqa: N815
    active = serializers.BooleanField()
    currency = CurrencyField()
    maxBet = AmountSerializerField()  # noqa: N815
    minBet = AmountSerializerField()  # noqa: N815
    customProps = CustomPropsOutput()  # noqa: N815
    rules = serializers.DictField(allow_null=True, help_text="The options by name.")
    odds = serializers.DictField(allow_null=True, help_text="X to 1 by outcome, as texts.")


class SuccessOutput(serializers.Serializer[Any]):
    """All rows are saved; `versions` has the new version of each currency."""

    success = serializers.BooleanField()
    versions = serializers.DictField(child=serializers.IntegerField(min_value=1))


class GameConfigsView(APIView):
    """Limits and rules of blackjack."""

    def get_authenticators(self) -> list[Any]:
        """A player's session is in the query, a partner's key in the header."""
        return [PartnerKeyAuthentication()] if _is_post(self.request) else []

    def get_permissions(self) -> list[Any]:
        return [MayConfigure()] if _is_post(self.request) else []

    @extend_schema(
        operation_id="game_configs_read",
        tags=["blackjack"],
        parameters=[GAME_PARAMETER, SESSION_QUERY_PARAMETER],
        auth=[],
        responses={
            200: GameConfigOutput,
            **wire_errors(
                _401="No valid session of that game.",
                _404="The partner does not offer the game in this currency.",
                _422="A parameter is missing or impossible.",
            ),
        },
        examples=[OpenApiExample("blackjack", value=CONFIG_EXAMPLE, response_only=True, status_codes=["200"])],
    )
    def get(self, request: Request) -> Response:
        """Return the limits, rules and odds of the session's next bet."""
        game_id, token = query_required(request, "game_id"), query_required(request, "game_session_id")
        _game_check(game_id)
        session = game_session_use(token=token, game=game_id, address=request_address(request))
        return Response(config_body(partner_id=session.partner_id, currency_code=session.currency_id))

    @extend_schema(
        operation_id="game_configs_save",
        tags=["blackjack"],
        request=GameConfigsInput,
        responses={
            200: SuccessOutput,
            **wire_errors(
                _400="Not JSON.",
                _401="No valid API key.",
                _403="No such currency, or a key without the scope.",
                _409="Another change is in progress (see Retry-After), or what you have read has changed since.",
                _422="A field is missing or impossible; nothing is saved.",
                _429="Too many requests; see Retry-After.",
            ),
        },
        examples=[
            OpenApiExample(
                "blackjack",
                value={"data": [{"game_id": GAME_ID, "min_bet": 1, "max_bet": 500, "custom_props": {}}]},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Save limits. They apply from the next bet, and open sockets get them as `UpdateConfig`.

        The first limits in a currency come with the standard rules and odds, so the game can be played at once.
        """
        body = GameConfigsInput(data=request.data)
        body.is_valid(raise_exception=True)
        key: Any = request.auth
        rows = [_limits_read(key.partner, row, f"data.{n}") for n, row in enumerate(body.validated_data["data"])]
        _each_once_check([row.currency for row in rows])
        saved = blackjack_limits_set_all(partner=key.partner, rows=rows, actor=actor_of_key(key))
        return Response({"success": True, "versions": {config.currency_id: config.version for config in saved}})


def _is_post(request: Request | None) -> bool:
    # The generator of the OpenAPI document has no request.
    return request is not None and request.method == "POST"


def _game_check(game_id: str, name: str = "game_id") -> None:
    if game_id != GAME_ID:
        raise BadParams(f"{name} must be {GAME_ID}", field=name)


def _each_once_check(currencies: list[Currency]) -> None:
    for number, currency in enumerate(currencies):
        if currency in currencies[:number]:
            field = f"data.{number}.currency"
            raise BadParams(f"{field}: {GAME_ID} in {currency} stands in this list twice", field=field)


def _limits_read(partner: Partner, row: dict[str, Any], path: str) -> LimitsRow:
    """Return the limits of a row; missing limits of side bets, and free play, stay as they are.

    `path` is the row's place in the body: a refusal of one row among several says which.
    """
    _game_check(row["game_id"], f"{path}.game_id")
    code = row.get("currency", partner_currency_code(partner))
    currency = Currency.objects.filter(code=code).first()
    if currency is None:
        raise InvalidCurrency(f"{path}.currency: there is no currency {code[:8]!r}", field=f"{path}.currency")
    former = BlackjackConfig.objects.filter(partner=partner, currency=currency).first()
    side_bets = {
        name: row.get("custom_props", {}).get(f"{name}_bet", getattr(former, name, Decimal(0)))
        for name in ("perfect_pairs_min", "perfect_pairs_max", "poker_min", "poker_max")
    }
    free_play = row.get("free_play", getattr(former, "free_play", False))
    limits = BlackjackLimits(bet_min=row["min_bet"], bet_max=row["max_bet"], free_play=free_play, **side_bets)
    names = {name: f"{path}.{on_the_wire}" for name, on_the_wire in WIRE_NAMES.items()}
    names["version"] = f"{path}.version"
    return LimitsRow(currency, limits, row.get("version"), names)
