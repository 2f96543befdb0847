"""Verification over HTTP: the second of the four ways of docs/fairness.md."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.blackjack.messages import WireAction
from apps.core import patterns
from apps.core.errors import BadParams
from apps.core.fields import (
    ChoiceField,
    ClientSeedField,
    CurrencyField,
    SeedField,
    TextField,
    WholeField,
)
from apps.core.limits import limit_check
from apps.core.models import Currency
from apps.core.openapi import text_enum
from apps.core.visitors import network_of, request_address
from apps.office.verification.blackjack import MAX_ACTIONS, action_read
from apps.office.verification.rounds import deal_again, record_deal_again, round_check, round_dealt_from
from apps.office.verification.seeds import MAX_NONCE, DealtAgain, Seeds
from apps.rounds.api import GAME_PATH_PARAMETER, SESSION_PATH_PARAMETER, wire_errors
from apps.rounds.games import GAMES
from apps.rounds.models import Round
from apps.rounds.services import game_session_find

DEFAULT_CURRENCY: Final = "FUN"


ACTION_NAME: Final = text_enum("ActionName", [action.value for action in WireAction])


@extend_schema_field(
    {
        "type": "array",
        "maxItems": MAX_ACTIONS,
        "items": {
            "anyOf": [
                ACTION_NAME,
                {
                    "type": "object",
                    "required": ["action"],
                    "properties": {
                        "action": ACTION_NAME,
                        "data": {"type": ["object", "null"], "additionalProperties": True},
                    },
                },
            ]
        },
    }
)
class ActionsField(serializers.ListField):
    """Actions of a round, as a client has sent them; what the log has of them is read too."""

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        if len(data) > MAX_ACTIONS:
            raise serializers.ValidationError(f"{MAX_ACTIONS} actions at most")
        for number, item in enumerate(data):
            action_read(number, item)
        return data


class VerifyInput(serializers.Serializer[Any]):
    """The seeds of a round, and where the cards depend on them its actions and rules."""

    clientSeed = ClientSeedField()  # noqa: N815 - the wire's names
    serverSeed = TextField(pattern=patterns.SEED, help_text="The revealed server seed.")  # noqa: N815
    nonce = WholeField(low=0, high=MAX_NONCE)
    actions = ActionsField(
        required=False,
        allow_empty=True,
        help_text='Blackjack: "Hit", or {"action": "Peek", "data": {...}}: as the round\'s details list them.',
    )
    rules = serializers.DictField(
        required=False,
        help_text='Baccarat: {"decks": 8}. Blackjack: options over the solo game\'s, such as {"decks": 6}.',
    )
    currency = CurrencyField(
        required=False,
        max_length=8,
        help_text="Whose decimals count; else those of the record, of the session, or of FUN.",
    )


class VerifyOutput(serializers.Serializer[Any]):
    """The round, dealt again."""

    gameId = ChoiceField(name="Game", choices=GAMES)  # noqa: N815
    serverSeedHashed = SeedField(help_text="Compare it with what was shown before the bet.")  # noqa: N815
    clientSeed = ClientSeedField()  # noqa: N815
    nonce = serializers.IntegerField(min_value=0)
    rules = serializers.DictField()
    cards = serializers.ListField(child=TextField(pattern=patterns.CARD), help_text="In dealing order.")
    roundOutcome = serializers.DictField()  # noqa: N815
    roundId = serializers.UUIDField(  # noqa: N815
        required=False, allow_null=True, help_text="With a session: its player's round of these seeds."
    )
    matchesRecord = serializers.BooleanField(  # noqa: N815
        required=False, allow_null=True, help_text="With a session: whether that round is recorded just so."
    )


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
    currency: str | None

    def deal_again(self, game_id: str, *, default_currency: str) -> DealtAgain:
        """Return the round of these seeds, rules and actions. Raises NotFound, BadParams."""
        quantum = _quantum_of(self.currency or default_currency)
        return deal_again(game_id, self.seeds, rules=self.rules or {}, actions=self.actions or [], quantum=quantum)


class VerifyView(APIView):
    """POST deals a round again for anybody who has its seeds; it reads no record."""

    @extend_schema(
        operation_id="verify",
        tags=["fairness"],
        auth=[],
        parameters=[GAME_PATH_PARAMETER],
        request=VerifyInput,
        responses={
            200: VerifyOutput,
            **wire_errors(_400="Not JSON.", _404="No such game.", _422="No such round.", _429="Too many requests."),
        },
        examples=EXAMPLES,
    )
    def post(self, request: Request, game_id: str) -> Response:
        """For auditors and anybody else: needs no session."""
        _limit(f"address:{network_of(request_address(request))}")
        asked = _read(request)
        dealt = asked.deal_again(game_id, default_currency=DEFAULT_CURRENCY)
        return Response(_answer(game_id, asked.seeds, dealt))


class SessionVerifyView(APIView):
    """POST deals a round again and holds it against the record of the session's player."""

    @extend_schema(
        operation_id="verify_in_session",
        tags=["fairness"],
        auth=[],
        parameters=[GAME_PATH_PARAMETER, SESSION_PATH_PARAMETER],
        request=VerifyInput,
        responses={
            200: VerifyOutput,
            **wire_errors(
                _400="Not JSON.",
                _401="No valid session.",
                _404="No such game.",
                _422="No such round.",
                _429="Too many requests.",
            ),
        },
        examples=EXAMPLES,
    )
    def post(self, request: Request, game_id: str, game_session_id: str) -> Response:
        """Any session of the player's will do. Without `rules` and `actions` the record's own are taken."""
        session = game_session_find(token=game_session_id)
        _limit(f"player:{session.player_id}")
        asked = _read(request)
        found = round_dealt_from(session.player, game_id, asked.seeds)
        if found is not None and asked.rules is None and asked.actions is None:
            dealt = record_deal_again(found, asked.seeds)
        else:
            dealt = asked.deal_again(game_id, default_currency=(found or session).currency_id)
        return Response(_answer(game_id, asked.seeds, dealt) | _record(found, dealt, asked.seeds))


def _limit(who: str) -> None:
    limit_check(kind="verify", who=who, per_s=settings.PUNTO_VERIFICATIONS_PER_S)


def _read(request: Request) -> _Asked:
    form = VerifyInput(data=request.data)
    form.is_valid(raise_exception=True)
    body = form.validated_data
    seeds = Seeds(body["serverSeed"], body["clientSeed"], body["nonce"])
    return _Asked(seeds, body.get("rules"), body.get("actions"), body.get("currency"))


def _quantum_of(currency_code: str) -> Decimal:
    currency = Currency.objects.filter(code=currency_code).first()
    if currency is None:
        raise BadParams("currency: there is no such currency", field="currency")
    return currency.quantum


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
