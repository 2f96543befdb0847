"""The serializer of a round's details, with an example for the OpenAPI document."""

from typing import Any, Final

from rest_framework import serializers

from apps.core.fields import (
    AmountSerializerField,
    ChoiceField,
    CurrencyField,
    ObjectField,
    RoundClientSeedField,
    SeedField,
)
from apps.rounds.documents import action_names, bet_names
from apps.rounds.models import ActedBy, RoundEnd
from apps.rounds.registry import game_ids, games

ENDS: Final = [end for end in RoundEnd.values if end]


class RoundBetOutput(serializers.Serializer[Any]):
    """One stake and its result. `payout` includes the stake; until the result it is 0, and `result` null."""

    bet = ChoiceField(name="BetName", choices=bet_names())
    hand = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="The index of the hand, for a bet on one of several hands."
    )
    stake = AmountSerializerField()
    odds = AmountSerializerField(
        allow_null=True, help_text="X to 1; null for a lost bet whose odds depend on the outcome."
    )
    payout = AmountSerializerField()
    result = serializers.CharField(allow_null=True, help_text="The result's name in the bet RPC or socket.")


class RoundActionOutput(serializers.Serializer[Any]):
    """One action in the form of a client's message, and the money that it moved."""

    number = serializers.IntegerField(min_value=1)
    by = ChoiceField(name="ActedBy", choices=ActedBy.values, help_text="The platform plays out abandoned rounds.")
    action = ChoiceField(name="ActionName", choices=action_names())
    data = ObjectField(  # type: ignore[assignment]  # DRF: a field of that name
        help_text="As a client sends it: over the socket, or in `bets` to the bet RPC."
    )
    stake = AmountSerializerField(help_text="The amount debited.")
    payout = AmountSerializerField(help_text="The amount credited.")
    time = serializers.DateTimeField()


class RoundOutcomeOutput(serializers.Serializer[Any]):
    """The stakes and results of a round; all amounts are in units of the currency."""

    roundEnded = serializers.BooleanField()  # noqa: N815 - the wire's names
    howEnded = ChoiceField(name="RoundEnd", choices=ENDS, allow_null=True)  # noqa: N815
    currency = CurrencyField()
    stake = AmountSerializerField()
    payout = AmountSerializerField()
    state = ObjectField(help_text="The visible cards and hands, in the game's own form.")
    bets = RoundBetOutput(many=True)
    actions = RoundActionOutput(many=True)


class RoundDetailOutput(serializers.Serializer[Any]):
    """A round. `serverSeed` is included after it is revealed, `serverSeedHashed` until then."""

    roundId = serializers.UUIDField()  # noqa: N815
    gameId = ChoiceField(name="Game", choices=game_ids())  # noqa: N815
    clientSeed = RoundClientSeedField()  # noqa: N815
    nonce = serializers.IntegerField(min_value=0)
    isVerifiable = serializers.BooleanField()  # noqa: N815
    serverSeed = SeedField(required=False)  # noqa: N815
    serverSeedHashed = SeedField(required=False)  # noqa: N815
    roundOutcome = RoundOutcomeOutput()  # noqa: N815


ROUND_EXAMPLES: Final = [example for game in games() for example in game.documents.round_examples]
