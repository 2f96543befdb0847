"""Requests to the games' ASGI endpoints in this process, without a server."""

from http.client import parse_headers
from io import BytesIO
from typing import Any

from apps.core import json
from apps.core.body_limit import BodyLimit, Message, Receive, Scope, Send
from casino.endpoints import GameEndpoints
from tests.support.loop import run


class AsgiAnswer:
    """An answer, with its body read as exact JSON."""

    def __init__(self, started: Message, body: bytes) -> None:
        self.status: int = started["status"]
        lines = b"".join(b"%s: %s\r\n" % (name, value) for name, value in started["headers"])
        self.headers = parse_headers(BytesIO(lines + b"\r\n"))
        self.bytes = body
        self.body: Any = json.decode(body) if body else None


def ask(method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> AsgiAnswer:
    """Send one request to the application on a loop of its own; return the answer and close the loop's connections."""
    return run(ask_awaited(method, path, body, headers))


async def ask_awaited(method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> AsgiAnswer:
    """Do the same as `ask` on the running event loop."""
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "scheme": "http",
        "query_string": b"",
        "headers": [
            (name.lower().encode(), value.encode("latin-1"))
            for name, value in ({"Host": "testserver", "Content-Length": str(len(body))} | (headers or {})).items()
        ],
        "client": ("127.0.0.1", 1),
    }
    sent: list[Message] = []
    received = [{"type": "http.request", "body": body}]

    async def receive() -> Message:
        return received.pop() if received else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await _application(scope, receive, send)
    return AsgiAnswer(sent[0], b"".join(message.get("body", b"") for message in sent[1:]))


async def _no_pages(scope: Scope, _receive: Receive, _send: Send) -> None:
    raise AssertionError(f"no game serves {scope['path']}")


_application = BodyLimit(GameEndpoints(_no_pages))
