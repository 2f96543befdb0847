"""The URL of a round's details."""

from django.urls import path

from apps.office.round_api import api

urlpatterns = [
    path("v1/games/<str:game_id>/rounds/<uuid:round_id>", api.RoundDetailView.as_view(), name="round_detail"),
]
