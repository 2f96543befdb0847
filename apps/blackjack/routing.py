"""The socket's URL."""

from django.urls import path

from apps.blackjack.consumers import blackjack_socket

# Channels' router calls it as an ASGI application.
websocket_urlpatterns = [path("v1/ws", blackjack_socket)]  # type: ignore[arg-type]
