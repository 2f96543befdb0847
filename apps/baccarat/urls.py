"""Baccarat's URLs except the bets' (`GameSpec.endpoints`)."""

from apps.baccarat.one_deal_game import BACCARAT
from apps.one_deal.api import config_urls

urlpatterns = config_urls(BACCARAT)
