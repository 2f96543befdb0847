"""How a round's details are printed, with an example for the OpenAPI document."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers

from apps.baccarat.engine import WIRE_NAMES
from apps.blackjack.messages import WireAction
from apps.core.fields import AmountField, ChoiceField, ClientSeedField, CurrencyField, ObjectField, SeedField
from apps.rounds.games import BLACKJACK, GAMES
from apps.rounds.models import ActedBy, RoundEnd

ENDS: Final = [end for end in RoundEnd.values if end]
BETS: Final = ("hand", "perfectPairs", "poker", "insurance", *WIRE_NAMES.values())


class RoundBetOutput(serializers.Serializer[Any]):
    """One stake and what became of it. `payout` is with the stake in it; it is 0, and `result` null, until then."""

    bet = ChoiceField(name="BetName", choices=BETS)
    hand = serializers.IntegerField(min_value=0, allow_null=True, help_text="Of blackjack's hands, the index.")
    stake = AmountField()
    odds = AmountField(allow_null=True, help_text="X to 1; null for a side bet that has lost.")
    payout = AmountField()
    result = serializers.CharField(allow_null=True, help_text="As the bet RPC or the socket names it.")


class RoundActionOutput(serializers.Serializer[Any]):
    """One action, as a client sends it, and the money that it moved."""

    number = serializers.IntegerField(min_value=1)
    by = ChoiceField(name="ActedBy", choices=ActedBy.values, help_text="The platform plays out what is left alone.")
    action = ChoiceField(name="ActionName", choices=[action.value for action in WireAction])
    data = ObjectField(  # type: ignore[assignment]  # DRF: a field of that name
        help_text="As it is sent over the socket; of baccarat `bets`, as the bet RPC takes them."
    )
    stake = AmountField(help_text="What was debited.")
    payout = AmountField(help_text="What was credited.")
    time = serializers.DateTimeField()


class RoundOutcomeOutput(serializers.Serializer[Any]):
    """What was staked and what came of it; all amounts are in units of the currency."""

    roundEnded = serializers.BooleanField()  # noqa: N815 - the wire's names
    howEnded = ChoiceField(name="RoundEnd", choices=ENDS, allow_null=True)  # noqa: N815
    currency = CurrencyField()
    stake = AmountField()
    payout = AmountField()
    state = ObjectField(help_text="The cards and hands that lie open, in the game's own form.")
    bets = RoundBetOutput(many=True)
    actions = RoundActionOutput(many=True)


class RoundDetailOutput(serializers.Serializer[Any]):
    """A round. `serverSeed` stands there once it is revealed, `serverSeedHashed` until then."""

    roundId = serializers.UUIDField()  # noqa: N815
    gameId = ChoiceField(name="Game", choices=GAMES)  # noqa: N815
    clientSeed = ClientSeedField()  # noqa: N815
    nonce = serializers.IntegerField(min_value=0)
    isVerifiable = serializers.BooleanField()  # noqa: N815
    serverSeed = SeedField(required=False)  # noqa: N815
    serverSeedHashed = SeedField(required=False)  # noqa: N815
    roundOutcome = RoundOutcomeOutput()  # noqa: N815


ROUND_EXAMPLES: Final = [
    OpenApiExample(
        "open",
        {
            "roundId": "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c901",
            "gameId": BLACKJACK,
            "clientSeed": "punto",
            "nonce": 0,
            "isVerifiable": False,
            "serverSeedHashed": "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
            "roundOutcome": {
                "roundEnded": False,
                "howEnded": None,
                "currency": "FUN",
                "stake": "10",
                "payout": "0",
                "state": {
                    "action": "Bet",
                    "nextActions": ["Hit", "Stand", "Double", "Surrender"],
                    "handIndex": 0,
                    "handOwner": "Player",
                    "betAmount": "10",
                    "dealerHand": {"cards": [{"value": 9, "suit": 1, "index": 8}]},
                    "playerHands": [
                        {
                            "cards": [{"value": 6, "suit": 0, "index": 5}, {"value": 4, "suit": 2, "index": 3}],
                            "betAmount": "10",
                            "nextActions": ["Hit", "Stand", "Double", "Surrender"],
                        }
                    ],
                    "acceptedInsurance": False,
                    "insuranceAmount": "0",
                    "insurance": None,
                },
                "bets": [{"bet": "hand", "hand": 0, "stake": "10", "odds": "1", "payout": "0", "result": None}],
                "actions": [
                    {
                        "number": 1,
                        "by": "player",
                        "action": "Bet",
                        "data": {"betAmount": "10"},
                        "stake": "10",
                        "payout": "0",
                        "time": "2026-01-01T12:00:00Z",
                    }
                ],
            },
        },
        response_only=True,
        status_codes=["200"],
    )
]
