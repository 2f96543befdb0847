"""Limits every body to `MAX_BODY_BYTES`: under WSGI by its announced length, under ASGI as it arrives.

Django's ASGI handler writes a whole body to disk before a view can refuse it.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from apps.core.api import MAX_BODY_BYTES, body_too_long, refusal_body, refusal_response

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_READ_BYTES: Final = 2 * MAX_BODY_BYTES
"""The bytes of a too long body that are read and discarded, so that the client gets the answer and keeps its
connection."""

_GONE: Final = {"type": "http.disconnect"}


class BodyLimitMiddleware:
    """Refuses a request that announces a too long body. A WSGI server reads no more than announced."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _length(request.META.get("CONTENT_LENGTH", "")) > MAX_BODY_BYTES:
            response = refusal_response(request, body_too_long())
            response["Content-Length"] = str(len(response.content))
            response["Connection"] = "close"  # The rest of the body follows.
            return response
        return self.get_response(request)


class BodyLimit:
    """The same for an ASGI application, which receives no more than the limit."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on until its body is too long."""
        announced = _length(next((value for name, value in scope["headers"] if name == b"content-length"), b""))
        body = _Body(receive)
        if announced <= MAX_BODY_BYTES:
            await self._application(scope, body.receive, send)
            if body.came <= MAX_BODY_BYTES:
                return
        is_over = announced <= MAX_READ_BYTES and await body.read_on()
        await _refuse(scope, send, is_last=not is_over)


class _Body:
    """A body as it arrives: passed on up to the limit, then discarded."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.came = 0
        """The number of bytes so far."""
        self._is_over = False

    async def receive(self) -> Message:
        """Return the next part; if it exceeds the limit, the application gets a disconnect."""
        if self._is_over and self.came > MAX_BODY_BYTES:
            return _GONE
        message = await self._receive()
        self.came += len(message.get("body", b""))
        self._is_over = not message.get("more_body", False)
        return _GONE if self.came > MAX_BODY_BYTES else message

    async def read_on(self) -> bool:
        """Discard the rest and return whether it was complete; a far too long body is not read to its end."""
        while not self._is_over and self.came <= MAX_READ_BYTES:
            await self.receive()
        return self._is_over


def _length(text: str | bytes) -> int:
    return int(text) if text.isdigit() else 0


async def _refuse(scope: Scope, send: Send, *, is_last: bool) -> None:
    """Answer; closes the connection if the request was not read to its end."""
    text, content_type = refusal_body(body_too_long(), scope["path"])
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", b"%d" % len(text)),
        (b"x-content-type-options", b"nosniff"),
        *([(b"connection", b"close")] if is_last else []),
    ]
    await send({"type": "http.response.start", "status": body_too_long().http_status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
