"""The ASGI endpoints of games (`GameSpec.endpoints`), which are served before Django."""

import time

from apps.core.body_limit import Application, Receive, Scope, Send
from apps.core.metrics import process_meter
from apps.rounds.registry import games


class GameEndpoints:
    """Passes a request to the game's endpoint with its path, and every other request to Django."""

    def __init__(self, pages: Application) -> None:
        self._pages = pages
        self._by_path = {path: endpoint for game in games() for path, endpoint in game.endpoints.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._by_path.get(scope["path"])
        if endpoint is None:
            await self._pages(scope, receive, send)
            return
        began = time.perf_counter()
        await endpoint(scope, receive, send)
        process_meter().answered(time.perf_counter() - began)
