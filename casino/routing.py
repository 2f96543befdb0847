"""Every socket: the `websocket_urlpatterns` of each app that has a `routing` module."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings

websocket_urlpatterns: list[Any] = [
    pattern
    for app in settings.OUR_APPS
    if find_spec(f"{app}.routing")
    for pattern in import_module(f"{app}.routing").websocket_urlpatterns
]
