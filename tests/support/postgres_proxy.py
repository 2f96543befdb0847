"""A door in front of PostgreSQL that a test can hold or shut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

CHUNK_BYTES: Final = 65_536
WAIT_TIMEOUT_S: Final = 30


@dataclass
class Hold:
    """Stop at a message of the client that contains `marker`: before it, or (`after`) before the answer to it.

    `reached` is set once it is so: the message, or the answer, has arrived here and goes no further.
    """

    marker: bytes
    after: bool = False
    reached: threading.Event = field(default_factory=threading.Event)
    dropped: threading.Event = field(default_factory=threading.Event)
    answers: bool = False
    """Whether the next message of PostgreSQL is the answer that is held."""


class Proxy:
    """Passes on what clients and PostgreSQL say to each other, on a port of 127.0.0.1."""

    def __init__(self, url: str) -> None:
        """Stand in front of the PostgreSQL at `url`; clients use `self.url` instead."""
        self._upstream = conninfo_to_dict(url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = make_conninfo(url, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")
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
        """Lose what is held, and the connection with it."""
        if self._hold is not None:
            self._hold.dropped.set()
            self._hold = None

    def freeze(self) -> None:
        """Pass nothing on in either direction, and close nothing, as a PostgreSQL on a stopped machine."""
        self._passing.clear()

    def thaw(self) -> None:
        """Pass on what has come meanwhile, and what comes."""
        self._passing.set()

    @property
    def clients(self) -> int:
        """How many connections there are."""
        return len(self._pairs)

    def shut(self) -> None:
        """Be gone, as a stopped PostgreSQL is: connections break, new ones are not made."""
        self._shut = True
        for pair in list(self._pairs):
            self._part(pair)

    def open(self) -> None:
        """Be back."""
        self._shut = False

    def close(self) -> None:
        """End for good."""
        self.drop()
        self.thaw()
        self.shut()
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
        hold.dropped.wait(WAIT_TIMEOUT_S)

    def _part(self, pair: tuple[socket.socket, socket.socket]) -> None:
        self._pairs.discard(pair)
        for end in pair:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def proxy_run(url: str) -> Iterator[Proxy]:
    """Run a proxy in front of the PostgreSQL at `url` for the time of the block."""
    proxy = Proxy(url)
    try:
        yield proxy
    finally:
        proxy.close()
