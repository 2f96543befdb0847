"""Baccarat's addresses, but for the bets' (`endpoint.py`)."""

from django.urls import path

from apps.baccarat import config_api

urlpatterns = [
    path("api/game/baccarat_config", config_api.ConfigView.as_view(), name="baccarat_config"),
    path("api/game/baccarat_odds_config", config_api.OddsView.as_view(), name="baccarat_odds_config"),
]
