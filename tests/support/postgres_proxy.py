"""A proxy in front of PostgreSQL that a test can stop or close."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from casino.settings.waits import WAIT_S

CHUNK_BYTES: Final = 65_536
CONNECT_TIMEOUT_S: Final = 3
"""As in production, for clients that find PostgreSQL gone; a client asks again if a slow machine takes longer."""


@dataclass
class Hold:
    """Stops at a client's message that contains `marker`, or (`after`) at the answer to it.

    `reached` is set once the message, or the answer, has arrived at the proxy, which does not forward it.
    """

    marker: bytes
    after: bool = False
    reached: threading.Event = field(default_factory=threading.Event)
    dropped: threading.Event = field(default_factory=threading.Event)
    answers: bool = False
    """Whether the next message of PostgreSQL is the answer to stop at."""


class Proxy:
    """Forwards messages between clients and PostgreSQL, on a port of 127.0.0.1."""

    def __init__(self, url: str) -> None:
        """Listen in front of the PostgreSQL at `url`; clients use `self.url` instead."""
        self._upstream = conninfo_to_dict(url)
        self._listener = _listener()
        port = self._listener.getsockname()[1]
        self.url = make_conninfo(
            url, host="127.0.0.1", port=port, connect_timeout=CONNECT_TIMEOUT_S, sslmode="disable", gssencmode="disable"
        )
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._shut = False
        self._hold: Hold | None = None
        self._passing = threading.Event()
        self._passing.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, marker: bytes, *, after: bool = False) -> Hold:
        """Stop the first client that sends `marker`, until `drop`."""
        self._hold = Hold(marker, after)
        return self._hold

    def drop(self) -> None:
        """Drop the held message and its connection."""
        if self._hold is not None:
            self._hold.dropped.set()
            self._hold = None

    def freeze(self) -> None:
        """Forward nothing in either direction and close nothing, like a PostgreSQL on a frozen machine."""
        self._passing.clear()

    def thaw(self) -> None:
        """Forward what has arrived meanwhile, and go on."""
        self._passing.set()

    @property
    def clients(self) -> int:
        """The number of connections."""
        return len(self._pairs)

    def shut(self) -> None:
        """Behave like a stopped PostgreSQL: break all connections and refuse new ones."""
        self._shut = True
        for pair in list(self._pairs):
            self._part(pair)

    def open(self) -> None:
        """Be back."""
        self._shut = False

    def close(self) -> None:
        """Close the proxy for good."""
        self.drop()
        self.thaw()
        self.shut()
        _ports_used.append(self._listener.getsockname()[1])
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._shut:
                    client.close()
                    continue
                pair = (client, self._connect())
                self._pairs.add(pair)
                threading.Thread(target=self._forward, args=(pair,), daemon=True).start()
                threading.Thread(target=self._back, args=(pair,), daemon=True).start()

    def _connect(self) -> socket.socket:
        host, port = str(self._upstream.get("host") or "127.0.0.1"), int(str(self._upstream.get("port") or 5432))
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(Path(host) / f".s.PGSQL.{port}"))
        return server

    def _forward(self, pair: tuple[socket.socket, socket.socket]) -> None:
        client, server = pair
        with suppress(OSError):
            while data := client.recv(CHUNK_BYTES):
                hold = self._hold
                if hold is not None and hold.marker in data:
                    if not hold.after:
                        self._keep(hold)
                        break
                    hold.answers = True
                self._passing.wait()
                server.sendall(data)
        self._part(pair)

    def _back(self, pair: tuple[socket.socket, socket.socket]) -> None:
        client, server = pair
        with suppress(OSError):
            while data := server.recv(CHUNK_BYTES):
                hold = self._hold
                if hold is not None and hold.answers:
                    self._keep(hold)
                    break
                self._passing.wait()
                client.sendall(data)
        self._part(pair)

    @staticmethod
    def _keep(hold: Hold) -> None:
        hold.reached.set()
        hold.dropped.wait(WAIT_S)

    def _part(self, pair: tuple[socket.socket, socket.socket]) -> None:
        self._pairs.discard(pair)
        for end in pair:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


_ports_used: list[int] = []
"""The ports of proxies that were closed. With the same port a resting server can be used again."""


def _listener() -> socket.socket:
    while _ports_used:
        with suppress(OSError):  # another program has it now
            return socket.create_server(("127.0.0.1", _ports_used.pop()))
    return socket.create_server(("127.0.0.1", 0))


@contextmanager
def proxy_run(url: str) -> Iterator[Proxy]:
    """Run a proxy in front of the PostgreSQL at `url` during the block."""
    proxy = Proxy(url)
    try:
        yield proxy
    finally:
        proxy.close()
