"""The send queue of a socket: in order, numbered, and bounded, so that a slow consumer costs little."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

MAX_MESSAGES: Final = 1_000
MAX_CHARS: Final = 1024 * 1024
TOO_SLOW: Final = 1013

Send = Callable[[dict[str, Any]], Awaitable[None]]


class SendQueue:
    """Takes messages without waiting; its `run` sends them, and finally closes the connection."""

    __slots__ = ("_chars", "_close_code", "_due", "_overflow", "_send", "_texts", "sequence")

    def __init__(self, send: Send, overflow: Callable[[], None]) -> None:
        self._send = send
        self._overflow = overflow
        """Called if the client has not read for too long: `run` then waits in a send, and cannot end by itself."""
        self._texts: deque[str] = deque()
        self._chars = 0
        self._due = asyncio.Event()
        self._close_code: int | None = None
        self.sequence: int | None = None
        """The number of the last message; None before log-in."""

    @property
    def is_closing(self) -> bool:
        """Whether new messages are dropped."""
        return self._close_code is not None

    def put(self, body: bytes) -> None:
        """Queue a message, with its number and the time."""
        self.put_tail(body[1:].decode())

    def put_tail(self, tail: str) -> None:
        """Queue a message without its opening brace, a text that all sockets share."""
        if self._close_code is not None:
            return
        if len(self._texts) >= MAX_MESSAGES or self._chars > MAX_CHARS:
            # The client gets the dropped messages when it reconnects.
            self._texts.clear()
            self._close_code = TOO_SLOW
            self._overflow()
            return
        now_ms = time.time_ns() // 1_000_000
        if self.sequence is None:
            text = f'{{"timestamp":{now_ms},{tail}'
        else:
            self.sequence += 1
            text = f'{{"sequence":{self.sequence},"timestamp":{now_ms},{tail}'
        self._texts.append(text)
        self._chars += len(text)
        self._due.set()

    def close(self, code: int) -> None:
        """Close the connection after the messages that are queued."""
        if self._close_code is None:
            self._close_code = code
            self._due.set()

    async def run(self) -> None:
        """Send queued messages until the connection is closed. Raises OSError if the client has gone."""
        while True:
            await self._due.wait()
            self._due.clear()
            while self._texts:
                text = self._texts.popleft()
                self._chars -= len(text)
                await self._send({"type": "websocket.send", "text": text})
            if self._close_code is not None:
                await self._send({"type": "websocket.close", "code": self._close_code})
                return
