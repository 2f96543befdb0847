"""Plays blackjack for the contract tests."""

from collections.abc import Sequence
from random import Random
from typing import Any

from apps.blackjack.engine.state import Pace
from apps.cards.notation import parse_card
from tests.contract.players import Alteration
from tests.support.played import act

MOVES = ("Hit", "Stand", "Double", "Split", "Surrender")


class BlackjackPlayer:
    """Bets with both side bets, takes random legal actions, and lets the dealer play at either pace."""

    alterations = (
        Alteration(
            "a card of the outcome",
            "UPDATE game_round SET detail = jsonb_set(detail, '{dealerHand,cards,0,value}', '11') WHERE id = %(round)s",
        ),
        Alteration(
            "a payout of the outcome",
            "UPDATE game_round SET detail = jsonb_set(detail, '{payout}', '\"1000\"') WHERE id = %(round)s",
        ),
        Alteration(
            "a stake",
            "UPDATE game_round SET terms = jsonb_set(terms, '{stakes,0,main}', '7') WHERE id = %(round)s",
        ),
    )

    def play(self, token: str, chance: Random) -> None:
        data = self._bet(token, chance.choice([Pace.SOLO, Pace.TABLE]))
        while not data.get("roundEnded"):
            allowed = data["nextActions"]
            if "Peek" in allowed:
                data = act(token, "Peek", acceptedInsurance=chance.random() < 0.5)["data"]
            else:
                data = act(token, chance.choice([name for name in MOVES if name in allowed]))["data"]

    def leave_open(self, token: str) -> bool:
        while "roundEnded" in self._bet(token):
            pass
        return True

    def texts_of(self, code: str) -> Sequence[str]:
        card = parse_card(code)
        return (f'"value":{card.value},"suit":{int(card.suit)},"index":{card.rank}',)

    def _bet(self, token: str, pace: Pace = Pace.SOLO) -> Any:
        return act(token, "Bet", pace=pace, betAmount=2, perfecPairsBetAmount=1, pokerBetAmount=1)["data"]


PLAYER = BlackjackPlayer()
