"""Baccarat's addresses."""

from django.urls import path

from apps.baccarat import bet_api, config_api

urlpatterns = [
    path(bet_api.BET_PATH.removeprefix("/"), bet_api.bet, name="baccarat_bet"),
    path("api/game/baccarat_config", config_api.ConfigView.as_view(), name="baccarat_config"),
    path("api/game/baccarat_odds_config", config_api.OddsView.as_view(), name="baccarat_odds_config"),
]
