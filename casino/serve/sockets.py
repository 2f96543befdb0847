"""Sockets and bets, under uvicorn. Its protocols are extended by the limits that it has no settings for.

At a stop uvicorn closes each open socket with 1012, and the connection is dropped within `CLOSE_PATIENCE_S`.
"""

import argparse
import asyncio
from functools import partial
from importlib import import_module
from typing import Any, Final

import uvicorn
from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from apps.core.client_address import scope_address
from apps.core.errors import RateLimited
from apps.core.socket_limits import (
    CLOSE_PATIENCE_S,
    FLOODED,
    GUARD,
    MAX_FRAGMENTS,
    MAX_MESSAGE_BYTES,
    NOT_UTF_8,
    SLICE_BYTES,
    SocketGuard,
    address_counts,
)
from casino.serve.refusal import refusal_of

MAX_HEAD_BYTES: Final = 64 * 1024
"""Limit of a request's line and headers, without the bytes that arrived with their beginning."""


def serve(options: argparse.Namespace) -> None:
    """Serve until a signal ends it."""
    module, _, name = options.application.partition(":")
    server(getattr(import_module(module), name), host=options.host, port=options.port).run()


def server(application: Any, *, host: str, port: int) -> uvicorn.Server:
    """Return the server without starting it. uvicorn's own handling of proxies is off; `PUNTO_PROXIES` decides."""
    config = uvicorn.Config(
        application,
        host=host,
        port=port,
        http=LimitedHttp,
        ws=LimitedSocket,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="warning",
    )
    return uvicorn.Server(config)


class LimitedHttp(HttpToolsProtocol):
    """HTTP with a timeout and a maximum size of the head; handshakes are counted before they are processed."""

    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_begin()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_end()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._head_begin()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_end()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        # httptools buffers a header until it is complete, without a limit.
        was_in_head = self._head_timer is not None
        super().data_received(data)
        if was_in_head and self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.transport.abort()

    def handle_websocket_upgrade(self) -> None:
        address = scope_address(self.scope)
        try:
            guard = address_counts().admit(address)
        except RateLimited as error:
            self.transport.pause_reading()
            address_counts().refuse_later(address, partial(self._refuse, error))
            return
        self.ws_protocol_class = partial(LimitedSocket, guard)  # type: ignore[assignment]  # it is only called
        super().handle_websocket_upgrade()

    def _refuse(self, error: RateLimited) -> None:
        if not self.transport.is_closing():
            self.transport.write(refusal_of(error, self.url).last_bytes())
            self.transport.close()

    def _head_begin(self) -> None:
        self._head_bytes = 0
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(settings.PUNTO_AUTHENTICATE_S, self.transport.abort)

    def _head_end(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class LimitedSocket(WebSocketsSansIOProtocol):
    """A socket with a budget, which is dropped at most `CLOSE_PATIENCE_S` after its close."""

    def __init__(self, guard: SocketGuard, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._guard = guard
        self._is_stopped = False
        self._end_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._guard.closed()
        if self._end_timer is not None:
            self._end_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), SLICE_BYTES):
            part = data[start : start + SLICE_BYTES]
            if self._is_stopped:
                return
            if not self._guard.bytes_take(len(part)):
                self._stop(FLOODED, "too much at once")
                return
            super().data_received(part)
        if self.transport.is_closing():
            self._end_soon()

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if self.handshake_initiated and not self.handshake_complete:  # otherwise the request was refused
            self.scope["extensions"][GUARD] = self._guard  # type: ignore[assignment]

    def handle_text(self, event: Any) -> None:
        if self._is_allowed():
            super().handle_text(event)

    def handle_bytes(self, event: Any) -> None:
        if self._is_allowed():
            super().handle_bytes(event)

    def handle_cont(self, event: Any) -> None:
        if len(self.frames) >= MAX_FRAGMENTS:
            self._stop(FLOODED, "too many fragments")
        elif self._is_allowed():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._is_stopped:
            return
        if self._guard.ping_take():
            super().handle_ping()
        else:
            self._stop(FLOODED, "too many pings")

    def handle_pong(self, event: Any) -> None:
        if self._is_allowed():
            super().handle_pong(event)

    def handle_close(self, event: Any) -> None:
        if not self._is_stopped:
            super().handle_close(event)

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self._stop(NOT_UTF_8, "not UTF-8")
        else:
            super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """End a connection that broke the protocol or sent too long a message. Its close code has already been sent."""
        self._finish()

    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.close_sent:
            self._end_soon()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._end_soon()

    def shutdown(self) -> None:
        super().shutdown()
        self._end_soon()

    def _is_allowed(self) -> bool:
        if self._is_stopped:
            return False
        if self._guard.frame_take():
            return True
        self._stop(FLOODED, "too many frames")
        return False

    def _stop(self, code: int, reason: str) -> None:
        """Close the connection because of its client; nothing more is read or answered."""
        self.conn.data_to_send()  # answers to pings of the same read
        self.conn.fail(code, reason)
        self._finish()

    def _finish(self) -> None:
        self._is_stopped = True
        if not self.transport.is_closing():
            self.transport.pause_reading()
        self.read_paused = False  # `receive` would continue to read
        self.stop_keepalive()
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = self.disconnected = True  # an answer in flight learns that the client is gone
        self.writable.set()
        self.frames = []
        while not self.queue.empty():
            self.queue.get_nowait()
        code = 1006 if self.conn.close_sent is None else self.conn.close_sent.code
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": ""})
        self._end_soon()
        # Without a timer, uvicorn closes when the application returns, and our code is lost.
        self.close_timer = self._end_timer

    def _end_soon(self) -> None:
        if self._end_timer is None:
            self._end_timer = self.loop.call_later(CLOSE_PATIENCE_S, self._end)

    def _end(self) -> None:
        """Close the connection after the client's timeout; unread data is discarded."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
