"""Sockets and bets in production; the pages too, on one port, in the embedded default."""

import asyncio
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

pages = get_asgi_application()  # first, since consumers import models

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.urls import re_path  # noqa: E402

from apps.core.body_limit import BodyLimit, Receive, Scope, Send  # noqa: E402
from apps.core.metrics import process_meter  # noqa: E402
from apps.core.postgres_pool import pool_close  # noqa: E402
from apps.core.threads import loop_share  # noqa: E402
from casino.endpoints import GameEndpoints  # noqa: E402
from casino.routing import websocket_urlpatterns  # noqa: E402


async def lifespan(_scope: Scope, receive: Receive, send: Send) -> None:
    """Report the process as one that serves, and close the database connections with PostgreSQL's own message instead
    of by closing their sockets."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            process_meter().start()
        if message["type"] == "lifespan.shutdown":
            await pool_close()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def no_socket(_scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a handshake at a path without a socket with 403, as ASGI does. Channels would raise an error."""
    await receive()
    await send({"type": "websocket.close"})


async def pages_on_loop(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve a page. Coroutines of its synchronous code, such as those of tables, run on this loop, like those of the
    sockets."""
    loop_share(asyncio.get_running_loop())
    await pages(scope, receive, send)


# Channels uses Django's router, whose types know only views.
anything_else = re_path(r"", no_socket)  # type: ignore[arg-type]

application = ProtocolTypeRouter(
    {
        "http": BodyLimit(GameEndpoints(pages_on_loop)),
        "websocket": URLRouter([*websocket_urlpatterns, anything_else]),
        "lifespan": lifespan,
    }
)
