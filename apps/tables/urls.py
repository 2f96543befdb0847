"""The lobby's addresses."""

from django.urls import path

from apps.tables import api

urlpatterns = [
    path("api/auth/token", api.TokenView.as_view(), name="table_token"),
    path("api/games", api.GamesView.as_view(), name="table_games"),
    path("api/games/<str:game_type>/spec", api.SpecificationView.as_view(), name="table_game_spec"),
    path("api/lobby", api.LobbyView.as_view(), name="table_lobby"),
    path("api/rooms", api.RoomsView.as_view(), name="table_rooms"),
    path("api/rooms/<uuid:room_id>", api.RoomView.as_view(), name="table_room"),
    path("api/rooms/<uuid:room_id>/join", api.JoinView.as_view(), name="table_room_join"),
    path("api/rooms/<uuid:room_id>/leave", api.LeaveView.as_view(), name="table_room_leave"),
    path("api/rooms/<uuid:room_id>/watch", api.WatchView.as_view(), name="table_room_watch"),
    path("api/rooms/<uuid:room_id>/rounds/<uuid:round_id>", api.RoundView.as_view(), name="table_round"),
]
