"""Dragon tiger's `OneDealGame`, for the code that one-deal games share.

The deal, the bets, and what a tie returns are in engine.py.
"""

from typing import Final

from apps.dragon_tiger.apps import GAME_ID
from apps.dragon_tiger.cards_left import chances_left
from apps.dragon_tiger.edge import bet_deviation, house_edge, paytable_rows
from apps.dragon_tiger.engine import GAME_TYPES_BY_NAME, STANDARD_ODDS, GameType, bet_settle, deal, public_outcome
from apps.dragon_tiger.labels import BET_HELP, BET_LABELS, BET_PLACES, RESULT_LABELS
from apps.dragon_tiger.models import DragonTigerConfig, DragonTigerGameRecord, DragonTigerOddsConfig
from apps.one_deal.one_deal_game import OneDealGame

DRAGON_TIGER: Final = OneDealGame(
    id=GAME_ID,
    name="dragon_tiger",
    title="dragon tiger",
    bets=GameType,
    bets_by_name=GAME_TYPES_BY_NAME,
    bet_prefix="DragonTigerGameBet",
    schema_name="DragonTiger",
    shared_schema_name="DragonTiger",
    standard_odds=STANDARD_ODDS,
    first_bets=tuple(GameType),
    bet_labels=BET_LABELS,
    bet_help=BET_HELP,
    bet_places=BET_PLACES,
    result_labels=RESULT_LABELS,
    sides=("dragon", "tiger"),
    cards_a_side=(1, 1),
    deal=deal,
    outcome=public_outcome,
    settle=bet_settle,
    house_edge=house_edge,
    deviation=bet_deviation,
    paytable_rows=paytable_rows,
    chances_left=chances_left,
    config_model=DragonTigerConfig,
    odds_model=DragonTigerOddsConfig,
    record_model=DragonTigerGameRecord,
)
