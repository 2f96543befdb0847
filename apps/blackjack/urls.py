"""Blackjack's addresses."""

from django.urls import path

from apps.blackjack import api

urlpatterns = [path("v1/games/configs", api.GameConfigsView.as_view(), name="game_configs")]
