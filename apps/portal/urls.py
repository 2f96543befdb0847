"""The player's addresses."""

from django.urls import path

from apps.portal import views

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("launch/", views.launch, name="launch"),
    path("leave/", views.leave, name="leave"),
    path("play/now", views.now, name="play-now"),
    path("play/baccarat/", views.baccarat, name="play-baccarat"),
    path("play/baccarat/table", views.baccarat_data, name="play-baccarat-data"),
    path("play/blackjack/", views.blackjack, name="play-blackjack"),
    path("play/blackjack/table", views.blackjack_data, name="play-blackjack-data"),
    path("play/blackjack/session", views.blackjack_session, name="play-blackjack-session"),
    path("wallet/refill", views.refill, name="wallet-refill"),
    path("wallet/", views.wallet, name="wallet"),
    path("history/", views.history, name="history"),
    path("history/<uuid:round_id>/", views.round_page, name="round"),
    path("seeds/propose", views.seed_propose, name="seed-propose"),
    path("seeds/", views.seeds, name="seeds"),
    path("fairness/", views.verify, name="verify"),
    path("fairness/how/", views.how_to_check, name="how-to-check"),
]
