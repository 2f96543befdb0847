"""What the rest of the product knows of baccarat: its `GameSpec`.

Rules, bets and standard odds are in engine.py; docs/new-game.md says what a further bet needs.
"""

from typing import Final

from apps.baccarat.engine import GameType
from apps.baccarat.explain import BaccaratExplanation
from apps.baccarat.one_deal_game import BACCARAT
from apps.baccarat.words import WORDS
from apps.fairness.examples import EXAMPLE_COMMITMENT
from apps.one_deal.openapi import BetExamples
from apps.one_deal.spec import one_deal_spec
from apps.rounds.game_spec import DealingText, LobbyTile

_REDEALT: Final = {
    "cards": ["H3", "D7", "S10", "D9", "D7", "S8"],
    "roundOutcome": {
        "player": ["H3", "S10", "D7"],
        "banker": ["D7", "D9", "S8"],
        "player_score": 0,
        "banker_score": 4,
        "winner": "banker",
        "results": {"BaccaratGameBetOnPlayer": "UserLost", "BaccaratGameBetOnBanker": "UserWin"},
    },
}
_LISTED_ROUND: Final = {
    "stake": "10",
    "payout": "19.5",
    "outcome": {
        "player": ["H3", "S10", "D7"],
        "banker": ["D7", "D9"],
        "player_score": 0,
        "banker_score": 6,
        "winner": "banker",
    },
    "bets": [
        {
            "bet": "BaccaratGameBetOnBanker",
            "hand": None,
            "stake": "10",
            "odds": "0.95",
            "payout": "19.5",
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
            "payout": "19.5",
            "time": "2026-03-01T12:00:00Z",
        }
    ],
}

_ONE_BET: Final = {
    "player": ["CJ", "S10", "D5"],
    "banker": ["D1", "D3", "S9"],
    "reward_amount": 20,
    "game_type": 1,
    "bet_amount": 10,
    "round_id": "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c901",
    "result_type": 1,
    "balance": 1010,
    "server_seed_hash": EXAMPLE_COMMITMENT,
    "client_seed": "punto",
    "nonce": 0,
}
_BETS: Final = BetExamples(
    one=_ONE_BET,
    several={
        "player": ["CJ", "S10", "D5"],
        "banker": ["D1", "D3", "S9"],
        "bets": [
            {"reward_amount": 20, "game_type": 1, "bet_amount": 10, "result_type": 1},
            {"reward_amount": 0, "game_type": 3, "bet_amount": 1, "result_type": 2},
        ],
        **{name: _ONE_BET[name] for name in ("round_id", "server_seed_hash", "client_seed", "nonce")},
        "balance": 1009,
    },
    not_offered=GameType.PLAYER_PAIR,
    placed_twice=GameType.TIE,
)

GAME: Final = one_deal_spec(
    BACCARAT,
    title="Baccarat",
    tile=LobbyTile(
        cards=("D9", "SK"),
        pitch="Nearest to nine wins. Third cards draw themselves.",
        welcome="Player, banker or tie, with bead plate and big road.",
    ),
    dealing=DealingText(
        order="Baccarat deals player, banker, player, banker, then third cards.",
        example=(
            "In baccarat the player has the three and the ten of the first and third card, and the banker the seven"
            " and the nine."
        ),
    ),
    explanation=BaccaratExplanation,
    bets=_BETS,
    redealt=_REDEALT,
    listed_round=_LISTED_ROUND,
    words=WORDS,
)
