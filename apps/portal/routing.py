"""The portal's socket."""

from django.urls import path

from apps.portal.consumers import changes_socket

# Channels' router calls it as an ASGI application.
websocket_urlpatterns = [path("v1/ws/portal", changes_socket)]  # type: ignore[arg-type]
