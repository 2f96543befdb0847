"""Baccarat's addresses."""

from django.urls import path

from apps.baccarat import bet_api

urlpatterns = [
    path("api/game/baccarat/bet", bet_api.bet, name="baccarat_bet"),
]
