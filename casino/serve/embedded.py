"""Pages and sockets in one process on one port, under daphne: `make run`.

Daphne has settings for few of the limits, so its two protocols are extended here. `daphne.server` is the only module
that uses their factories, so ours are set there.
"""

import argparse
import asyncio
from functools import partial
from importlib import import_module
from typing import Any

import daphne.server  # first, since it chooses Twisted's event loop

# isort: split
from daphne.endpoints import build_endpoint_description_strings
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import ConnectionDeny, WebSocketFactory, WebSocketProtocol
from django.conf import settings

from apps.core.api import MAX_BODY_BYTES, body_too_long
from apps.core.body_limit import MAX_READ_BYTES
from apps.core.client_address import visitor_address
from apps.core.errors import RateLimited
from apps.core.socket_limits import (
    CLOSE_PATIENCE_S,
    FLOODED,
    GUARD,
    MAX_FRAGMENTS,
    MAX_MESSAGE_BYTES,
    SLICE_BYTES,
    SocketGuard,
    address_counts,
)
from casino.serve.refusal import refusal_of


def serve(options: argparse.Namespace) -> None:
    """Serve until a signal ends it."""
    application = import_module("casino.asgi").application
    daphne.server.HTTPFactory = LimitedHttpFactory
    daphne.server.WebSocketFactory = LimitedSocketFactory
    endpoints = build_endpoint_description_strings(host=options.host, port=options.port)
    LimitedServer(application, endpoints=endpoints, server_name="", verbosity=0).run()


class LimitedServer(daphne.server.Server):
    """The server. It gives a socket's application the callback for a successful authentication."""

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        if isinstance(protocol, LimitedSocket):
            scope["extensions"] = {GUARD: protocol.guard}
        return super().create_application(protocol, scope)


class LimitedRequest(WebRequest):
    """A request whose body is not read beyond the limit. Daphne buffers the whole body before the application gets
    it."""

    came_bytes = 0
    is_refused = False

    def gotLength(self, length: int | None) -> None:
        super().gotLength(min(length or 0, MAX_BODY_BYTES))
        if length is not None and length > MAX_READ_BYTES:
            self._refuse_now()

    def handleContentChunk(self, data: bytes) -> None:
        self.came_bytes += len(data)
        if self.came_bytes <= MAX_BODY_BYTES:
            super().handleContentChunk(data)
        elif self.came_bytes > MAX_READ_BYTES:
            self._refuse_now()

    def process(self) -> Any:
        if self.is_refused:
            return None
        if self.came_bytes <= MAX_BODY_BYTES:
            return super().process()
        answer = refusal_of(body_too_long(), self.path)
        self.setResponseCode(answer.status)
        for name, value in answer.headers.items():
            self.setHeader(name, value)
        self.write(answer.body)
        self.finish()
        return None

    def _refuse_now(self) -> None:
        """Answer during the request, which ends the connection."""
        if not self.is_refused:
            self.is_refused = True
            # Twisted sets a request's path only after reading all of it; until then only the channel has it.
            self.transport.write(refusal_of(body_too_long(), self.channel._path).last_bytes())
            self.transport.pauseProducing()
            asyncio.get_running_loop().call_later(CLOSE_PATIENCE_S, self.transport.abortConnection)


class LimitedHttpFactory(HTTPFactory):
    """Makes channels that make our requests."""

    def buildProtocol(self, addr: Any) -> Any:
        self.timeOut = settings.PUNTO_AUTHENTICATE_S  # the timeout of an idle connection
        protocol = super().buildProtocol(addr)
        # Django reads forms. Twisted would read them first, and answer a broken one itself, without a body.
        protocol.requestFactory = partial(LimitedRequest, parsePOSTFormSubmission=False)
        return protocol


class LimitedSocket(WebSocketProtocol):
    """A socket with a budget, which is dropped at most `CLOSE_PATIENCE_S` after its close.

    The attributes are options of autobahn, which daphne leaves at their defaults.
    """

    failByDrop = False
    closeHandshakeTimeout = CLOSE_PATIENCE_S
    maxFramePayloadSize = MAX_MESSAGE_BYTES
    maxMessagePayloadSize = MAX_MESSAGE_BYTES

    address = ""
    guard: SocketGuard | None = None
    refusal: RateLimited | None = None
    is_stopped = False
    fragments = 0

    @staticmethod
    def perMessageCompressionAccept(_offers: list[Any]) -> None:
        """Accept none."""

    def onConnect(self, request: Any) -> Any:
        forwarded = request.headers.get("x-forwarded-for", "")
        peer = getattr(self.transport.getPeer(), "host", "")
        self.address = visitor_address(peer, forwarded, proxies=settings.PUNTO_PROXIES)
        try:
            self.guard = address_counts().admit(self.address)
        except RateLimited as error:
            self.refusal = error
            raise ConnectionDeny(error.http_status, error.code) from error
        return super().onConnect(request)

    def failHandshake(self, reason: str, code: int = 400, responseHeaders: Any = None) -> None:
        if self.refusal is None:
            super().failHandshake(reason, code, responseHeaders)
        else:
            answer = refusal_of(self.refusal, self.http_request_uri.encode()).last_bytes()
            self.transport.pauseProducing()
            address_counts().refuse_later(self.address, partial(self._refuse, answer))

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        if self.guard is not None:
            self.guard.closed()
        if hasattr(self, "server"):  # otherwise daphne has not been told of it
            super().onClose(wasClean, code, reason)

    def dataReceived(self, data: bytes) -> None:
        for start in range(0, len(data), SLICE_BYTES):
            part = data[start : start + SLICE_BYTES]
            if self.is_stopped:
                return
            if self.guard is not None and not self.guard.bytes_take(len(part)):
                self._stop("too much at once")
                return
            super().dataReceived(part)
            if self.failedByMe:  # autobahn has already sent the close code
                self._reading_stop()

    def onMessageBegin(self, isBinary: bool) -> None:
        self.fragments = 0
        super().onMessageBegin(isBinary)

    def onMessageFrameBegin(self, length: int) -> None:
        super().onMessageFrameBegin(length)
        self.fragments += 1
        self._frame_count()
        if self.fragments > MAX_FRAGMENTS:
            self._stop("too many fragments")

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if not self.is_stopped:
            super().onMessage(payload, isBinary)

    def onPing(self, payload: bytes) -> None:
        if self.is_stopped:
            return
        if self.guard is None or self.guard.ping_take():
            super().onPing(payload)
        else:
            self._stop("too many pings")

    def onPong(self, payload: bytes) -> None:
        self._frame_count()
        super().onPong(payload)

    def handle_reply(self, message: dict[str, Any]) -> None:
        if self.state in {
            self.STATE_CONNECTING,
            self.STATE_OPEN,
        }:  # otherwise the answer was in flight and comes too late
            super().handle_reply(message)

    def serverClose(self, code: int | None = None) -> None:
        # autobahn's `sendClose` takes no code of the standard but 1000.
        self.sendCloseFrame(code=1000 if code is None else code)

    def dropConnection(self, abort: bool = False) -> None:
        super().dropConnection(abort)
        if not abort:  # it waits until the client has read everything
            asyncio.get_running_loop().call_later(CLOSE_PATIENCE_S, self.transport.abortConnection)

    def _refuse(self, answer: bytes) -> None:
        if self.state == self.STATE_CONNECTING:
            self.sendData(answer)
            self.dropConnection()

    def _frame_count(self) -> None:
        if not self.is_stopped and self.guard is not None and not self.guard.frame_take():
            self._stop("too many frames")

    def _stop(self, reason: str) -> None:
        """Close the connection because of its client; nothing more is read or answered."""
        if self.state == self.STATE_OPEN:
            self.sendCloseFrame(code=FLOODED, reasonUtf8=reason.encode())
        else:
            self.dropConnection(abort=True)
        self._reading_stop()

    def _reading_stop(self) -> None:
        if self.is_stopped:
            return
        self.is_stopped = True
        self.unregisterProducer()  # reading would resume as soon as the client has read the written data
        self.transport.pauseProducing()
        waiting = getattr(self, "application_queue", None)
        if waiting is not None:  # otherwise the application was never called
            while not waiting.empty():
                waiting.get_nowait()
            waiting.put_nowait({"type": "websocket.disconnect", "code": self.localCloseCode or 1006})


class LimitedSocketFactory(WebSocketFactory):
    """Makes our sockets."""

    protocol = LimitedSocket
