"""Verification's addresses."""

from django.urls import path

from apps.office.verification import api

urlpatterns = [
    path("v1/games/<str:game_id>/verify", api.VerifyView.as_view(), name="verify_seeds"),
    path(
        "v1/games/<str:game_id>/verify/<str:game_session_id>", api.SessionVerifyView.as_view(), name="verify_in_session"
    ),
]
