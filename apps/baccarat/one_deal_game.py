"""Baccarat's `OneDealGame`, for the code that one-deal games share.

The deal, the bets, and what a tie returns are in engine.py.
"""

from typing import Final

from apps.baccarat.apps import GAME_ID
from apps.baccarat.cards_left import chances_left
from apps.baccarat.edge import bet_deviation, face_chances, house_edge, paytable_rows
from apps.baccarat.engine import GAME_TYPES_BY_NAME, STANDARD_ODDS, GameType, bet_settle, deal, public_outcome
from apps.baccarat.labels import BET_HELP, BET_LABELS, BET_PLACES, RESULT_LABELS
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord, BaccaratOddsConfig
from apps.one_deal.one_deal_game import OneDealGame

BACCARAT: Final = OneDealGame(
    id=GAME_ID,
    name="baccarat",
    title="baccarat",
    bets=GameType,
    bets_by_name=GAME_TYPES_BY_NAME,
    bet_prefix="BaccaratGameBet",
    schema_name="Baccarat",
    shared_schema_name="",
    standard_odds=STANDARD_ODDS,
    first_bets=(GameType.PLAYER, GameType.BANKER, GameType.TIE),
    bet_labels=BET_LABELS,
    bet_help=BET_HELP,
    bet_places=BET_PLACES,
    result_labels=RESULT_LABELS,
    sides=("player", "banker"),
    cards_a_side=(2, 3),
    deal=deal,
    outcome=public_outcome,
    settle=bet_settle,
    house_edge=house_edge,
    deviation=bet_deviation,
    paytable_rows=paytable_rows,
    chances_left=chances_left,
    face_chances=face_chances,
    config_model=BaccaratConfig,
    odds_model=BaccaratOddsConfig,
    record_model=BaccaratGameRecord,
)
