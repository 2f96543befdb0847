"""The URLs that all games share."""

from django.urls import path

from apps.rounds import api

urlpatterns = [
    path("v1/player/balance", api.BalanceView.as_view(), name="player_balance"),
    path("v1/player/seeds/<str:game_session_id>", api.SeedsView.as_view(), name="player_seeds"),
    path("api/asyncapi/", api.asyncapi, name="asyncapi"),
]
