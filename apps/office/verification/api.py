"""Verification over HTTP: the first of the three ways of spec/fairness.md."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.core.errors import BadParams
from apps.core.fields import TextField
from apps.core.limits import limit_check
from apps.core.models import Currency
from apps.office.verification.rounds import deal_again, record_deal_again, round_check, round_dealt_from
from apps.office.verification.seeds import DealtAgain, Seeds
from apps.rounds.api import SESSION_PATH_PARAMETER, wire_errors
from apps.rounds.games import GAMES
from apps.rounds.models import Round
from apps.rounds.services import game_session_find

DEFAULT_CURRENCY: Final = "FUN"


class VerifyInput(serializers.Serializer[Any]):
    """The seeds of a round, and where the cards depend on them its actions and rules."""

    clientSeed = TextField()  # noqa: N815 - the wire's names
    serverSeed = TextField(help_text="The revealed server seed.")  # noqa: N815
    nonce = serializers.IntegerField(min_value=0)
    actions = serializers.ListField(
        required=False,
        allow_empty=True,
        help_text='Blackjack: "Hit", or {"action": "Peek", "data": {...}}, or as the round\'s details list them.',
    )
    rules = serializers.DictField(
        required=False,
        help_text='Baccarat: {"decks": 8}. Blackjack: options over the solo game\'s, such as {"decks": 6}.',
    )
    currency = TextField(required=False, max_length=8, help_text="Whose decimals count; the session's, or else FUN's.")


class VerifyOutput(serializers.Serializer[Any]):
    """The round, dealt again."""

    gameId = serializers.CharField()  # noqa: N815
    serverSeedHashed = serializers.CharField(help_text="Compare it with what was shown before the bet.")  # noqa: N815
    clientSeed = serializers.CharField()  # noqa: N815
    nonce = serializers.IntegerField()
    rules = serializers.DictField()
    cards = serializers.ListField(child=serializers.CharField(), help_text="In dealing order.")
    roundOutcome = serializers.DictField()  # noqa: N815
    roundId = serializers.UUIDField(  # noqa: N815
        required=False, allow_null=True, help_text="With a session: its player's round of these seeds."
    )
    matchesRecord = serializers.BooleanField(  # noqa: N815
        required=False, allow_null=True, help_text="With a session: whether that round is recorded just so."
    )


GAME_PARAMETER: Final = OpenApiParameter("game_id", str, OpenApiParameter.PATH, enum=GAMES)
_SEEDS: Final = {
    "clientSeed": "punto",
    "serverSeed": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "nonce": 0,
}
EXAMPLES: Final = [
    OpenApiExample("Baccarat", _SEEDS, request_only=True),
    OpenApiExample("Blackjack", _SEEDS | {"actions": ["Stand", "Hit"]}, request_only=True),
    OpenApiExample(
        "Baccarat, dealt again",
        {
            "gameId": "og-baccarat",
            "serverSeedHashed": "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
            "clientSeed": "punto",
            "nonce": 0,
            "rules": {"decks": 8},
            "cards": ["H3", "D7", "S10", "D9", "D7", "S8"],
            "roundOutcome": {
                "player": ["H3", "S10", "D7"],
                "banker": ["D7", "D9", "S8"],
                "player_score": 0,
                "banker_score": 4,
                "winner": "banker",
                "results": {"BaccaratGameBetOnPlayer": "UserLost", "BaccaratGameBetOnBanker": "UserWin"},
            },
        },
        response_only=True,
        status_codes=["200"],
    ),
]


@dataclass(frozen=True, slots=True)
class _Asked:
    seeds: Seeds
    rules: dict[str, Any] | None
    actions: list[Any] | None
    quantum: Decimal


def _address(request: Request) -> str:
    """Return whose limit the request counts against."""
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:
        # allauth's word for a server that was told no address, as behind a Unix socket: such callers share a limit.
        return "unknown"


class VerifyView(APIView):
    """POST deals a round again for anybody who has its seeds; it reads no record."""

    @extend_schema(
        operation_id="verify",
        tags=["fairness"],
        auth=[],
        parameters=[GAME_PARAMETER],
        request=VerifyInput,
        responses={
            200: VerifyOutput,
            **wire_errors(_400="Not JSON.", _404="No such game.", _422="No such round.", _429="Too many requests."),
        },
        examples=EXAMPLES,
    )
    def post(self, request: Request, game_id: str) -> Response:
        """For auditors and anybody else: needs no session."""
        _limit(f"address:{_address(request)}")
        asked = _read(request, DEFAULT_CURRENCY)
        dealt = deal_again(
            game_id, asked.seeds, rules=asked.rules or {}, actions=asked.actions or [], quantum=asked.quantum
        )
        return Response(_answer(game_id, asked.seeds, dealt))


class SessionVerifyView(APIView):
    """POST deals a round again and holds it against the record of the session's player."""

    @extend_schema(
        operation_id="verify_in_session",
        tags=["fairness"],
        auth=[],
        parameters=[GAME_PARAMETER, SESSION_PATH_PARAMETER],
        request=VerifyInput,
        responses={
            200: VerifyOutput,
            **wire_errors(
                _400="Not JSON.",
                _401="No valid session of that game.",
                _422="No such round.",
                _429="Too many requests.",
            ),
        },
        examples=EXAMPLES,
    )
    def post(self, request: Request, game_id: str, game_session_id: str) -> Response:
        """Without `rules` and `actions` the record's own are taken, where the player has a round of these seeds."""
        session = game_session_find(token=game_session_id, game=game_id)
        _limit(f"player:{session.player_id}")
        asked = _read(request, session.currency_id)
        found = round_dealt_from(session.player, game_id, asked.seeds)
        if found is not None and asked.rules is None and asked.actions is None:
            dealt = record_deal_again(found, asked.seeds)
        else:
            dealt = deal_again(
                game_id, asked.seeds, rules=asked.rules or {}, actions=asked.actions or [], quantum=asked.quantum
            )
        return Response(_answer(game_id, asked.seeds, dealt) | _record(found, dealt, asked.seeds))


def _limit(who: str) -> None:
    limit_check(kind="verify", who=who, per_s=settings.PUNTO_VERIFICATIONS_PER_S)


def _read(request: Request, currency_code: str) -> _Asked:
    form = VerifyInput(data=request.data)
    form.is_valid(raise_exception=True)
    body = form.validated_data
    currency = Currency.objects.filter(code=body.get("currency") or currency_code).first()
    if currency is None:
        raise BadParams("currency: there is no such currency", field="currency")
    seeds = Seeds(body["serverSeed"], body["clientSeed"], body["nonce"])
    return _Asked(seeds, body.get("rules"), body.get("actions"), currency.quantum)


def _answer(game_id: str, seeds: Seeds, dealt: DealtAgain) -> dict[str, Any]:
    return {
        "gameId": game_id,
        "serverSeedHashed": seeds.commitment,
        "clientSeed": seeds.client_seed,
        "nonce": seeds.nonce,
        "rules": dealt.rules,
        "cards": dealt.cards,
        "roundOutcome": dealt.outcome,
    }


def _record(found: Round | None, dealt: DealtAgain, seeds: Seeds) -> dict[str, Any]:
    if found is None:
        return {"roundId": None, "matchesRecord": None}
    is_as_recorded = not round_check(found).faults and dealt == record_deal_again(found, seeds)
    return {"roundId": str(found.pk), "matchesRecord": is_as_recorded}
