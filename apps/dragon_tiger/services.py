"""Dragon tiger's use cases: those of one-deal games (apps/one_deal/services.py) with its rules."""

from functools import partial
from typing import Final

from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.one_deal import services

dragon_tiger_bet_place: Final = partial(services.bet_place, DRAGON_TIGER)
dragon_tiger_config_set: Final = partial(services.config_set, DRAGON_TIGER)
dragon_tiger_odds_set: Final = partial(services.odds_set, DRAGON_TIGER)
dragon_tiger_odds_confirm: Final = partial(services.odds_confirm, DRAGON_TIGER)
