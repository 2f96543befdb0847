"""A minimal WebSocket client for frames and handshakes that no client library sends, for floods and tests of limits."""

import base64
import os
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple, Self

CONT: Final = 0
TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10

PATH: Final = "/v1/ws"
TIMEOUT_S: Final = 60


class WireFrame(NamedTuple):
    """A frame from the server."""

    opcode: int
    payload: bytes

    @property
    def close_code(self) -> int:
        return int.from_bytes(self.payload[:2], "big")


def handshake_bytes(target: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the request that opens a socket."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = {
        "Host": "127.0.0.1",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": key,
        **(headers or {}),
    }
    return "\r\n".join([f"GET {target} HTTP/1.1", *(f"{k}: {v}" for k, v in lines.items()), "", ""]).encode()


def frame_bytes(opcode: int, payload: bytes = b"", *, final: bool = True, compressed: bool = False) -> bytes:
    """Return a client's frame, under a mask that changes nothing."""
    return head_bytes(opcode, len(payload), final=final, compressed=compressed) + payload


def head_bytes(opcode: int, length: int, *, final: bool = True, compressed: bool = False) -> bytes:
    """Return the head of a client's frame alone: it announces `length` bytes."""
    first = opcode | (0x80 if final else 0) | (0x40 if compressed else 0)
    if length < 126:
        size = bytes([0x80 | length])
    elif length < 1 << 16:
        size = bytes([0x80 | 126]) + struct.pack("!H", length)
    else:
        size = bytes([0x80 | 127]) + struct.pack("!Q", length)
    return bytes([first]) + size + bytes(4)


class Wire:
    """A connection that sends any bytes. `status` is the handshake's answer."""

    def __init__(
        self,
        port: int,
        token: str = "",
        *,
        path: str = PATH,
        headers: Mapping[str, str] | None = None,
        source: str = "127.0.0.1",
    ) -> None:
        self.link = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S, source_address=(source, 0))
        self._came = b""
        self.link.sendall(handshake_bytes(f"{path}?game_session_id={token}", headers))
        head = self._read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.status = int(head[0].split(" ")[1]) if head[0] else 0
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection without a close frame."""
        self.link.close()

    def send(self, data: bytes) -> None:
        """Send all the bytes, or those that the server reads before it ends the connection."""
        with suppress(ConnectionError):
            self.link.sendall(data)

    def frames(self) -> Iterator[WireFrame]:
        """Yield the server's frames until it ends the connection."""
        while (head := self._read(2)) and len(head) == 2:
            length = head[1] & 0x7F
            if length == 126:
                length = int.from_bytes(self._read(2), "big")
            elif length == 127:
                length = int.from_bytes(self._read(8), "big")
            yield WireFrame(head[0] & 0x0F, self._read(length))

    def close_code(self) -> int | None:
        """Return the server's close code, or None if it ends the connection without one."""
        return next((frame.close_code for frame in self.frames() if frame.opcode == CLOSE), None)

    def body(self) -> bytes:
        """Return the body of a handshake's refusal."""
        return self._read(int(self.headers.get("content-length", "0")))

    def _read(self, count: int) -> bytes:
        while len(self._came) < count and self._more():
            pass
        taken, self._came = self._came[:count], self._came[count:]
        return taken

    def _read_until(self, end: bytes) -> bytes:
        while end not in self._came and self._more():
            pass
        taken, _, self._came = self._came.partition(end)
        return taken

    def _more(self) -> bool:
        try:
            came = self.link.recv(65536)
        except ConnectionError:
            return False
        self._came += came
        return bool(came)
