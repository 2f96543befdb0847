"""Blackjack's HTTP side: limits, rules, the details of a round (spec/blackjack-websocket.md, "HTTP beside it")."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.blackjack.asyncapi import asyncapi_document
from apps.blackjack.configuration import BlackjackLimits, Editor, blackjack_limits_set_all
from apps.blackjack.models import BlackjackConfig
from apps.blackjack.selectors import config_body, round_detail
from apps.core.errors import BadParams, InvalidCurrency, MissingQueryParam
from apps.core.fields import AmountField, TextField
from apps.core.models import Currency
from apps.partners.authentication import MayConfigure, PartnerKeyAuthentication
from apps.partners.models import Partner
from apps.rounds.games import BLACKJACK
from apps.rounds.services import WELCOME_CURRENCY, game_session_find

SESSION_PARAMETER = OpenApiParameter("game_session_id", str, required=True, description="the session's token")
GAME_PARAMETER = OpenApiParameter("game_id", str, required=True, enum=[BLACKJACK])

CONFIG_EXAMPLE = {
    "id": 1,
    "gameId": BLACKJACK,
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


class CustomProps(serializers.Serializer[Any]):
    """Limits of the side bets; a maximum of 0 turns one off."""

    perfect_pairs_min_bet = AmountField(required=False)
    perfect_pairs_max_bet = AmountField(required=False)
    poker_min_bet = AmountField(required=False)
    poker_max_bet = AmountField(required=False)


class GameConfigInput(serializers.Serializer[Any]):
    """The limits of one game in one currency."""

    game_id = TextField()
    currency = TextField(required=False, default=WELCOME_CURRENCY)
    min_bet = AmountField()
    max_bet = AmountField()
    custom_props = CustomProps(required=False)


class GameConfigsInput(serializers.Serializer[Any]):
    """One or more games; all are saved or none."""

    data = GameConfigInput(many=True, allow_empty=False)  # type: ignore[assignment]  # DRF: a field of that name


class GameConfigsView(APIView):
    """Limits and rules of blackjack."""

    def get_authenticators(self) -> list[Any]:
        """A player's session stands in the query; a partner's key in the header."""
        return [PartnerKeyAuthentication()] if _is_post(self.request) else []

    def get_permissions(self) -> list[Any]:
        return [MayConfigure()] if _is_post(self.request) else []

    @extend_schema(
        operation_id="game_configs_read",
        parameters=[GAME_PARAMETER, SESSION_PARAMETER],
        auth=[],
        responses=inline_serializer(
            "GameConfig", {"id": serializers.IntegerField(), "gameId": serializers.CharField()}
        ),
        examples=[OpenApiExample("blackjack", value=CONFIG_EXAMPLE, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        """Return the limits, rules and odds that the session's next bet is taken with."""
        game_id, token = _required(request, "game_id"), _required(request, "game_session_id")
        _game_check(game_id)
        session = game_session_find(token=token, game=game_id)
        return Response(config_body(partner_id=session.partner_id, currency_code=session.currency_id))

    @extend_schema(
        operation_id="game_configs_save",
        request=GameConfigsInput,
        responses=inline_serializer("Success", {"success": serializers.BooleanField()}),
        examples=[
            OpenApiExample(
                "blackjack",
                value={"data": [{"game_id": BLACKJACK, "min_bet": 1, "max_bet": 500, "custom_props": {}}]},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Save limits; they hold from the next bet on, and go out to open sockets as `UpdateConfig`."""
        body = GameConfigsInput(data=request.data)
        body.is_valid(raise_exception=True)
        key: Any = request.auth
        rows = [_limits_read(key.partner, row) for row in body.validated_data["data"]]
        blackjack_limits_set_all(partner=key.partner, rows=rows, editor=Editor(f"key {key.prefix}"))
        return Response({"success": True})


class RoundDetailView(APIView):
    """One round of a session's player."""

    @extend_schema(
        operation_id="round_read",
        parameters=[SESSION_PARAMETER],
        auth=[],
        responses=inline_serializer(
            "RoundDetail",
            {
                "roundId": serializers.UUIDField(),
                "clientSeed": serializers.CharField(),
                "nonce": serializers.IntegerField(),
                "isVerifiable": serializers.BooleanField(),
                "serverSeed": serializers.CharField(required=False),
                "serverSeedHashed": serializers.CharField(required=False),
                "roundOutcome": serializers.DictField(),
            },
        ),
    )
    def get(self, request: Request, game_id: str, round_id: UUID) -> Response:
        """Return the round; the server seed stands there once it is revealed, its hash until then."""
        session = game_session_find(token=_required(request, "game_session_id"))
        return Response(round_detail(player_id=session.player_id, game=game_id, round_id=round_id))


@require_safe
def asyncapi(_request: HttpRequest) -> JsonResponse:
    """The AsyncAPI 3 document of the socket."""
    return JsonResponse(asyncapi_document())


def _is_post(request: Request | None) -> bool:
    # The maker of the OpenAPI document asks without a request.
    return request is not None and request.method == "POST"


def _required(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if not value:
        raise MissingQueryParam(f"{name} is missing in the address", field=name)
    return value


def _game_check(game_id: str) -> None:
    if game_id != BLACKJACK:
        raise BadParams(f"game_id must be {BLACKJACK}", field="game_id")


def _limits_read(partner: Partner, row: dict[str, Any]) -> tuple[Currency, BlackjackLimits]:
    """Return what a row asks for; what it leaves out of the side bets stays as it is."""
    _game_check(row["game_id"])
    currency = Currency.objects.filter(code=row["currency"]).first()
    if currency is None:
        raise InvalidCurrency(f"currency: there is no currency {row['currency'][:8]!r}")
    former = BlackjackConfig.objects.filter(partner=partner, currency=currency).first()
    side_bets = {
        name: row.get("custom_props", {}).get(f"{name}_bet", getattr(former, name, Decimal(0)))
        for name in ("perfect_pairs_min", "perfect_pairs_max", "poker_min", "poker_max")
    }
    return currency, BlackjackLimits(bet_min=row["min_bet"], bet_max=row["max_bet"], **side_bets)
