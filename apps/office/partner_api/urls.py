"""The partner API's URLs."""

from django.urls import path

from apps.office.partner_api import api

urlpatterns = [
    path("v1/players", api.PlayersView.as_view(), name="partner_players"),
    path("v1/sessions", api.SessionsView.as_view(), name="partner_sessions"),
    path("v1/frame-origins", api.FrameOriginsView.as_view(), name="partner_frame_origins"),
    path("v1/wallets/deposit", api.DepositView.as_view(), name="partner_deposit"),
    path("v1/wallets/withdraw", api.WithdrawView.as_view(), name="partner_withdraw"),
    path("v1/wallets/<path:player>", api.WalletView.as_view(), name="partner_wallet"),
    path("v1/rounds", api.RoundsView.as_view(), name="partner_rounds"),
    path("v1/reports/summary", api.SummaryView.as_view(), name="partner_summary"),
]
