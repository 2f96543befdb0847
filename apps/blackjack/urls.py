"""Blackjack's addresses."""

from django.urls import path

from apps.blackjack import api

urlpatterns = [
    path("v1/games/configs", api.GameConfigsView.as_view(), name="game_configs"),
    path("v1/games/<str:game_id>/rounds/<uuid:round_id>", api.RoundDetailView.as_view(), name="round_detail"),
    path("api/asyncapi/", api.asyncapi, name="asyncapi"),
]
