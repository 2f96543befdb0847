"""The URLs of bundles outside the back office."""

from django.urls import path

from apps.bundles import api, views

urlpatterns = [
    path(".well-known/punto-keys.json", views.sign_keys, name="sign_keys"),
    path("v1/rounds/<uuid:round_id>/bundle", api.RoundBundleView.as_view(), name="partner_round_bundle"),
]
