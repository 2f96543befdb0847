"""The calls of a player's own client in every game: balance and seeds (docs/protocol.md)."""

from typing import Any, Final

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.api_view import APIView
from apps.core.client_address import request_address
from apps.core.errors import BadParams, MissingQueryParam
from apps.core.fields import AmountSerializerField, ClientSeedField, CurrencyField, SeedField
from apps.core.money import plain
from apps.core.openapi import WIRE_ERROR, component, text_enum
from apps.core.patterns import CLIENT_SEED_RULE
from apps.fairness.selectors import seeds_shown
from apps.rounds.documents import asyncapi_document
from apps.rounds.game_sessions import game_session_use
from apps.rounds.models import GameSession
from apps.rounds.registry import game_ids
from apps.rounds.selectors import balance_read
from apps.rounds.services import seeds_rotate


def wire_errors(**meanings: str) -> dict[int, OpenApiResponse]:
    """Return refusals for the document, as in `wire_errors(_404="No such round.")`; 429 and 503 are always included."""
    meanings.setdefault("_429", "Too many requests; see Retry-After.")
    meanings["_503"] = "The database does not answer; see Retry-After."
    return {int(name.removeprefix("_")): OpenApiResponse(WIRE_ERROR, text) for name, text in meanings.items()}


def query_required(request: Request, name: str) -> str:
    """Return a parameter of the query. Raises MissingQueryParam."""
    value = request.query_params.get(name, "")
    if not value:
        raise MissingQueryParam(f"{name}: this query parameter is required", field=name)
    return value


GAME: Final = text_enum("Game", game_ids())
SESSION_ID: Final = component(
    "GameSessionId", {"type": "string", "format": "uuid", "description": "A session's id: a bearer credential."}
)
GAME_PATH_PARAMETER: Final = OpenApiParameter("game_id", GAME, OpenApiParameter.PATH)
SESSION_PATH_PARAMETER: Final = OpenApiParameter("game_session_id", SESSION_ID, OpenApiParameter.PATH)
SESSION_QUERY_PARAMETER: Final = OpenApiParameter("game_session_id", SESSION_ID, required=True)


class BalanceOutput(serializers.Serializer[Any]):
    """A balance, as plain text."""

    balance = AmountSerializerField()
    currency = CurrencyField()


class SeedInput(serializers.Serializer[Any]):
    """The client seed of the next rounds."""

    clientSeed = ClientSeedField(help_text=f"{CLIENT_SEED_RULE}.")  # noqa: N815


class SeedsOutput(serializers.Serializer[Any]):
    """The commitments, the client seed, and the number of rounds that the pair has dealt."""

    serverSeedHashed = SeedField()  # noqa: N815 - the wire's names
    nextServerSeedHashed = SeedField()  # noqa: N815
    clientSeed = ClientSeedField()  # noqa: N815
    totalBets = serializers.IntegerField(min_value=0)  # noqa: N815


class RotationOutput(SeedsOutput):
    """The seeds after a change, and the revealed server seed."""

    previousServerSeed = SeedField()  # noqa: N815


class BalanceView(APIView):
    """GET returns the player's balance in the session's currency."""

    @extend_schema(
        operation_id="player_balance",
        tags=["player"],
        auth=[],
        parameters=[SESSION_QUERY_PARAMETER, OpenApiParameter("game_id", GAME, required=True)],
        responses={
            200: BalanceOutput,
            **wire_errors(_401="No valid session of that game.", _422="A parameter is missing or impossible."),
        },
        examples=[
            OpenApiExample("Balance", {"balance": "987.5", "currency": "FUN"}, response_only=True, status_codes=["200"])
        ],
    )
    def get(self, request: Request) -> Response:
        """The balance includes everything that is committed."""
        token, game = query_required(request, "game_session_id"), query_required(request, "game_id")
        if game not in game_ids():
            raise BadParams(f"game_id: {' or '.join(game_ids())}", field="game_id")
        session = game_session_use(token=token, game=game, address=request_address(request))
        balance = balance_read(player_id=session.player_id, currency_code=session.currency_id)
        return Response({"balance": plain(balance), "currency": session.currency_id})


class SeedsView(APIView):
    """GET returns the active seeds; POST changes them."""

    @extend_schema(
        operation_id="player_seeds",
        tags=["player"],
        auth=[],
        parameters=[SESSION_PATH_PARAMETER],
        responses={200: SeedsOutput, **wire_errors(_401="No valid session.")},
        examples=[
            OpenApiExample(
                "Seeds",
                {
                    "serverSeedHashed": "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
                    "nextServerSeedHashed": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
                    "clientSeed": "punto",
                    "totalBets": 12,
                },
                response_only=True,
                status_codes=["200"],
            )
        ],
    )
    def get(self, request: Request, game_session_id: str) -> Response:
        """Server seeds are shown as commitments until they are revealed by a change."""
        return Response(_seeds(game_session_use(token=game_session_id, address=request_address(request))))

    @extend_schema(
        operation_id="player_seeds_change",
        tags=["player"],
        auth=[],
        parameters=[SESSION_PATH_PARAMETER],
        request=SeedInput,
        responses={
            200: RotationOutput,
            **wire_errors(
                _400="Not JSON.", _401="No valid session.", _409="A round is open.", _422="No such client seed."
            ),
        },
        examples=[OpenApiExample("My seed", {"clientSeed": "my-lucky-seed"}, request_only=True)],
    )
    def post(self, request: Request, game_session_id: str) -> Response:
        """Reveals the server seed in use; the next one, committed long before, takes its place."""
        session = game_session_use(token=game_session_id, address=request_address(request))
        body = SeedInput(data=request.data)
        body.is_valid(raise_exception=True)
        rotation = seeds_rotate(player=session.player, client_seed=body.validated_data["clientSeed"])
        return Response(_seeds(session) | {"previousServerSeed": rotation.revealed.server_seed})


@require_safe
def asyncapi(_request: HttpRequest) -> JsonResponse:
    """The AsyncAPI 3 document of the games' sockets."""
    return JsonResponse(asyncapi_document())


def _seeds(session: GameSession) -> dict[str, object]:
    shown = seeds_shown(player_id=session.player_id)
    return {
        "serverSeedHashed": shown.commitment,
        "nextServerSeedHashed": shown.next_commitment,
        "clientSeed": shown.client_seed,
        "totalBets": shown.total_bets,
    }
