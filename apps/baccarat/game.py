"""Baccarat, as the rest of the product knows it."""

from typing import Final

from drf_spectacular.utils import OpenApiExample

from apps.baccarat.apps import GAME_ID
from apps.baccarat.demo import baccarat_demo_offer
from apps.baccarat.endpoint import ENDPOINT
from apps.baccarat.engine import WIRE_NAMES
from apps.baccarat.explain import BaccaratExplanation, baccarat_redeal, baccarat_rules_from_text
from apps.baccarat.messages import BET_PATH
from apps.baccarat.models import BaccaratGameRecord
from apps.baccarat.offer import baccarat_house_edges, baccarat_offer, baccarat_waiting
from apps.baccarat.page import baccarat_table
from apps.baccarat.schema import bet_add
from apps.fairness.examples import EXAMPLE_COMMITMENT, EXAMPLE_SEEDS
from apps.rounds.game_spec import (
    DealingText,
    GameDocuments,
    GamePage,
    GameSpec,
    LobbyTile,
    MenuEntry,
    MenuGroup,
    Verification,
)
from apps.rounds.selectors import rows_count

_DEALT: Final = OpenApiExample(
    "Baccarat, dealt again",
    {
        "gameId": GAME_ID,
        "serverSeedHashed": EXAMPLE_COMMITMENT,
        "clientSeed": EXAMPLE_SEEDS["clientSeed"],
        "nonce": EXAMPLE_SEEDS["nonce"],
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
)
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

GAME: Final = GameSpec(
    id=GAME_ID,
    slug="baccarat",
    title="Baccarat",
    tile=LobbyTile(
        cards=("D9", "SK"),
        pitch="Nearest to nine wins. Third cards draw themselves.",
        welcome="Player, banker or tie, up to ten bets on one deal, with bead plate and big road.",
    ),
    page=GamePage(template="baccarat/table.html", table=baccarat_table),
    dealing=DealingText(
        order="Baccarat deals player, banker, player, banker, then third cards.",
        example=(
            "In baccarat the player has the three and the ten of the first and third card, and the banker the seven"
            " and the nine."
        ),
    ),
    explanation=BaccaratExplanation,
    verification=Verification(
        redeal=baccarat_redeal,
        rules_from_text=baccarat_rules_from_text,
        rules_help='{"decks": 8}',
        examples=(OpenApiExample("Baccarat", EXAMPLE_SEEDS, request_only=True), _DEALT),
    ),
    offer=baccarat_offer,
    house_edges=baccarat_house_edges,
    bet_count=lambda: rows_count(BaccaratGameRecord.objects.all(), "round"),
    menu=(
        MenuEntry(MenuGroup.PLAY, "baccarat.BaccaratGameRecord", "playing_cards"),
        MenuEntry(MenuGroup.OFFER, "baccarat.BaccaratConfig", "tune"),
        MenuEntry(MenuGroup.OFFER, "baccarat.BaccaratOddsConfig", "percent"),
    ),
    waiting=baccarat_waiting,
    demo_offer=baccarat_demo_offer,
    documents=GameDocuments(
        bets=tuple(WIRE_NAMES.values()),
        actions=("Bet",),
        openapi_add=bet_add,
        listed_round_example=_LISTED_ROUND,
    ),
    schedule={},
    endpoints={BET_PATH: ENDPOINT},
)
