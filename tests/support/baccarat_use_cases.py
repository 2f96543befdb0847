"""The use cases of one-deal games (services.py and configuration.py of apps/one_deal) with the rules of baccarat."""

from functools import partial
from typing import Final

from apps.baccarat.one_deal_game import BACCARAT
from apps.one_deal import configuration, services

baccarat_bet_place: Final = partial(services.bet_place, BACCARAT)
baccarat_config_set: Final = partial(configuration.config_set, BACCARAT)
baccarat_odds_set: Final = partial(configuration.odds_set, BACCARAT)
baccarat_odds_confirm: Final = partial(configuration.odds_confirm, BACCARAT)
