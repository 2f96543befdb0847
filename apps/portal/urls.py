"""URLs of the player's pages."""

from django.urls import path

from apps.portal import appearance, frame, history, installable, live_tables, lobby, preferences, shared_rounds, views

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("lobby/favourite", lobby.favourite, name="lobby-favourite"),
    path("launch/", views.launch, name="launch"),
    path("appearance/", appearance.appearance_choose, name="appearance"),
    path("language/", preferences.language_choose, name="language"),
    path("preferences/", preferences.preferences, name="preferences"),
    path("leave/", views.leave, name="leave"),
    path("frame/language", frame.frame_language, name="frame-language"),
    path("frame/close", frame.frame_close, name="frame-close"),
    path("frame/<slug:partner>/<slug:slug>/", frame.frame, name="frame"),
    path("play/now", views.now, name="play-now"),
    path("play/<slug:slug>/", views.play, name="play"),
    path("play/<slug:slug>/table", views.play_data, name="play-data"),
    path("play/<slug:slug>/session", views.play_session, name="play-session"),
    path("tables/", live_tables.lobby, name="live-tables"),
    path("tables/<uuid:table_id>/", live_tables.table, name="live-table"),
    path("manifest.webmanifest", installable.manifest, name="manifest"),
    path("service-worker.js", installable.service_worker, name="service-worker"),
    path("offline/files", installable.offline_list, name="offline-files"),
    path("offline/", installable.offline, name="offline"),
    path("guest/full/", views.guests_full, name="guests-full"),
    path("wallet/refill", views.refill, name="wallet-refill"),
    path("wallet/", history.wallet, name="wallet"),
    path("wallet/movements.csv", history.wallet_file, name="wallet-file"),
    path("history/", history.history, name="history"),
    path("history/rounds.csv", history.history_file, name="history-file"),
    path("history/<uuid:round_id>/", views.round_page, name="round"),
    path("history/<uuid:round_id>/share", shared_rounds.share, name="round-share"),
    path("history/<uuid:round_id>/unshare", shared_rounds.unshare, name="round-unshare"),
    path("shared/<str:code>/", shared_rounds.shared_round, name="shared-round"),
    path("seeds/propose", views.seed_propose, name="seed-propose"),
    path("seeds/", views.seeds, name="seeds"),
    path("fairness/", views.verify, name="verify"),
    path("fairness/table/", live_tables.check_round, name="verify-table"),
    path("fairness/how/", views.how_to_check, name="how-to-check"),
]
