"""What the rest of the product knows of dragon tiger: its `GameSpec`.

Rules, bets and standard odds are in engine.py; docs/new-game.md says what a further bet needs.
"""

from typing import Final

from apps.dragon_tiger.engine import GameType
from apps.dragon_tiger.explain import DragonTigerExplanation
from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.dragon_tiger.words import WORDS
from apps.fairness.examples import EXAMPLE_COMMITMENT
from apps.one_deal.openapi import BetExamples
from apps.one_deal.spec import one_deal_spec
from apps.rounds.game_spec import DealingText, LobbyTile

_OUTCOME: Final = {"dragon": ["H3"], "tiger": ["D7"], "winner": "tiger"}
_REDEALT: Final = {
    "cards": ["H3", "D7"],
    "roundOutcome": {
        **_OUTCOME,
        "results": {"DragonTigerGameBetDragon": "UserLost", "DragonTigerGameBetTiger": "UserWin"},
    },
}
_LISTED_ROUND: Final = {
    "stake": "10",
    "payout": "20",
    "outcome": _OUTCOME,
    "bets": [
        {
            "bet": "DragonTigerGameBetTiger",
            "hand": None,
            "stake": "10",
            "odds": "1",
            "payout": "20",
            "result": "UserWin",
        }
    ],
    "actions": [
        {
            "number": 1,
            "by": "player",
            "action": "Bet",
            "data": {"bets": [{"game_type": 2, "bet_amount": "10"}]},
            "stake": "10",
            "payout": "20",
            "time": "2026-03-01T12:00:00Z",
        }
    ],
}
_CARDS: Final = {"dragon": ["SK"], "tiger": ["D7"]}
_ROUND: Final = {
    "round_id": "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c902",
    "server_seed_hash": EXAMPLE_COMMITMENT,
    "client_seed": "punto",
    "nonce": 0,
}
_BETS: Final = BetExamples(
    one={
        **_CARDS,
        "reward_amount": 20,
        "game_type": 1,
        "bet_amount": 10,
        "result_type": 1,
        "balance": 1010,
        **_ROUND,
    },
    several={
        **_CARDS,
        "bets": [
            {"reward_amount": 20, "game_type": 1, "bet_amount": 10, "result_type": 1},
            {"reward_amount": 0, "game_type": 3, "bet_amount": 1, "result_type": 2},
        ],
        "balance": 1009,
        **_ROUND,
    },
    not_offered=GameType.SUITED_TIE,
    placed_twice=GameType.TIE,
)

GAME: Final = one_deal_spec(
    DRAGON_TIGER,
    title="Dragon tiger",
    tile=LobbyTile(
        cards=("SK", "H1"),
        pitch="One card each side. The higher one wins.",
        welcome="Dragon, tiger, tie or suited tie: two cards, and the round is over.",
    ),
    dealing=DealingText(
        order="Dragon tiger deals one card to the dragon, then one to the tiger.",
        example="In dragon tiger the dragon has the three, and the tiger wins with the seven.",
    ),
    explanation=DragonTigerExplanation,
    bets=_BETS,
    redealt=_REDEALT,
    listed_round=_LISTED_ROUND,
    words=WORDS,
)
