"""Sockets and token bets in production; the pages too, on one port, in the embedded default."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

pages = get_asgi_application()  # before what follows: consumers import models

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from apps.baccarat.lane import BetLane  # noqa: E402
from casino.routing import websocket_urlpatterns  # noqa: E402

application = ProtocolTypeRouter({"http": BetLane(pages), "websocket": URLRouter(websocket_urlpatterns)})
