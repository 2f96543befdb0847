"""The tables' socket."""

from django.urls import path

from apps.tables.consumers import tables_socket

# Channels' router calls it as an ASGI application.
websocket_urlpatterns = [path("ws/tables", tables_socket)]  # type: ignore[arg-type]
