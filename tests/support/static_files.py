"""Static files for browsers of tests, from memory: a page has about sixty, and Django takes milliseconds for each."""

import mimetypes
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles import finders

MAX_AGE_S: Final = 3600


class StaticFiles:
    """Answers for static files in front of an application, with the headers that a browser needs of them."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(settings.STATIC_URL):
            await self._application(scope, receive, send)
            return
        found = file_of(scope["path"].removeprefix(settings.STATIC_URL))
        if found is None or scope["method"] != "GET":
            await self._application(scope, receive, send)
            return
        headers, body = found
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@cache
def file_of(name: str) -> tuple[list[tuple[bytes, bytes]], bytes] | None:
    """Return headers and content of a file; None if there is none of this name."""
    path = None if ".." in name else finders.find(name)
    if path is None:
        return None
    body = Path(path).read_bytes()
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith("text/") else ""
    headers = {
        "Content-Type": f"{kind}{charset}",
        "Content-Length": str(len(body)),
        "Cache-Control": f"max-age={MAX_AGE_S}, public",
        "X-Content-Type-Options": "nosniff",
    }
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()], body
