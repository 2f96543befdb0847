"""The use cases of one-deal games (apps/one_deal/services.py) with the rules of baccarat."""

from functools import partial
from typing import Final

from apps.baccarat.one_deal_game import BACCARAT
from apps.one_deal import services

baccarat_bet_place: Final = partial(services.bet_place, BACCARAT)
baccarat_config_set: Final = partial(services.config_set, BACCARAT)
baccarat_odds_set: Final = partial(services.odds_set, BACCARAT)
baccarat_odds_confirm: Final = partial(services.odds_confirm, BACCARAT)
