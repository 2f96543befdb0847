"""The socket's URL."""

from django.urls import path

from apps.blackjack.consumers import BlackjackConsumer

websocket_urlpatterns = [path("v1/ws", BlackjackConsumer.as_asgi())]
