"""Verification over HTTP: the second of the four ways of docs/fairness.md."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.conf import settings
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import patterns
from apps.core.api_view import APIView
from apps.core.client_address import network_of, request_address
from apps.core.errors import BadParams
from apps.core.fields import (
    ChoiceField,
    ClientSeedField,
    CurrencyField,
    SeedField,
    TextField,
    WholeField,
)
from apps.core.models import Currency
from apps.core.openapi import text_enum
from apps.core.rate_limits import limit_check
from apps.fairness.round_seeds import MAX_NONCE, Seeds
from apps.office.verification.rounds import redeal, round_check, round_dealt_from
from apps.rounds.api import GAME_PATH_PARAMETER, SESSION_PATH_PARAMETER, wire_errors
from apps.rounds.documents import action_names
from apps.rounds.explanation import Redeal
from apps.rounds.game_sessions import game_session_use
from apps.rounds.models import Round
from apps.rounds.registry import game_ids, games
from apps.rounds.selectors import round_explain
from apps.rounds.verified_actions import MAX_ACTIONS, action_read

DEFAULT_CURRENCY: Final = "FUN"


ACTION_NAME: Final = text_enum("ActionName", action_names())
_READ_ACTIONS: Final = frozenset(
    {*action_names(), *(name for game in games() for name in game.verification.logged_actions)}
)
"""A game refuses unknown names itself."""


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
    """Actions of a round in the form of a client's messages; entries of the log are accepted too."""

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        if len(data) > MAX_ACTIONS:
            raise serializers.ValidationError(f"{MAX_ACTIONS} actions at most")
        for number, item in enumerate(data):
            action_read(number, item, _READ_ACTIONS)
        return data


def _help_text(name: str) -> str:
    """Return each game's description of a field, for the document."""
    texts = [(game.title, getattr(game.verification, name)) for game in games()]
    return " ".join(f"{title}: {text}." for title, text in texts if text)


class VerifyInput(serializers.Serializer[Any]):
    """The seeds of a round, and its actions and rules if the cards depend on them."""

    clientSeed = ClientSeedField()  # noqa: N815 - the wire's names
    serverSeed = TextField(pattern=patterns.SEED, help_text="The revealed server seed.")  # noqa: N815
    nonce = WholeField(low=0, high=MAX_NONCE)
    actions = ActionsField(
        required=False,
        allow_empty=True,
        help_text=_help_text("actions_help"),
    )
    rules = serializers.DictField(
        required=False,
        help_text=_help_text("rules_help"),
    )
    currency = CurrencyField(
        required=False,
        max_length=8,
        help_text="The currency whose decimals apply; the default is the record's, the session's, or FUN.",
    )


class VerifyOutput(serializers.Serializer[Any]):
    """The round, dealt again."""

    gameId = ChoiceField(name="Game", choices=game_ids())  # noqa: N815
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
        required=False, allow_null=True, help_text="With a session: whether the record of that round is equal."
    )


EXAMPLES: Final = [example for game in games() for example in game.verification.examples]


@dataclass(frozen=True, slots=True)
class _Asked:
    seeds: Seeds
    rules: dict[str, Any] | None
    actions: list[Any] | None
    currency: str | None

    def redeal(self, game_id: str, *, default_currency: str) -> Redeal:
        """Return the round of these seeds, rules and actions. Raises NotFound, BadParams."""
        quantum = _quantum_of(self.currency or default_currency)
        return redeal(game_id, self.seeds, rules=self.rules or {}, actions=self.actions or [], quantum=quantum)


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
        dealt = asked.redeal(game_id, default_currency=DEFAULT_CURRENCY)
        return Response(_answer(game_id, asked.seeds, dealt))


class SessionVerifyView(APIView):
    """POST deals a round again and compares it with the record of the session's player."""

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
        """Any session of the player is accepted. Without `rules` and `actions` those of the record are used."""
        session = game_session_use(token=game_session_id, address=request_address(request))
        _limit(f"player:{session.player_id}")
        asked = _read(request)
        found = round_dealt_from(session.player, game_id, asked.seeds)
        if found is not None and asked.rules is None and asked.actions is None:
            dealt = round_explain(found).redeal(asked.seeds)
        else:
            dealt = asked.redeal(game_id, default_currency=(found or session).currency_id)
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


def _answer(game_id: str, seeds: Seeds, dealt: Redeal) -> dict[str, Any]:
    return {
        "gameId": game_id,
        "serverSeedHashed": seeds.commitment,
        "clientSeed": seeds.client_seed,
        "nonce": seeds.nonce,
        "rules": dealt.rules,
        "cards": dealt.cards,
        "roundOutcome": dealt.outcome,
    }


def _record(found: Round | None, dealt: Redeal, seeds: Seeds) -> dict[str, Any]:
    if found is None:
        return {"roundId": None, "matchesRecord": None}
    is_as_recorded = not round_check(found).faults and dealt == round_explain(found).redeal(seeds)
    return {"roundId": str(found.pk), "matchesRecord": is_as_recorded}
