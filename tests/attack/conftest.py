"""A stand-in for the deployment, on the test database. With it the tests check that the suite finds faults."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import settings

from tests.attack.client import Recorder
from tests.attack.report import Part
from tests.conftest import superuser_url

Told = tuple[int, bytes]


@pytest.fixture
def part() -> Part:
    return Part("test")


@pytest.fixture
def deployment(committed: None, tmp_path: Path) -> Iterator[Any]:
    """The test database, the test Redis and two logs, with the attributes of a Deployment."""
    with psycopg.connect(superuser_url(), autocommit=True) as link:
        link.execute("CREATE SCHEMA attack")
    (tmp_path / "postgres.log").write_text("LOG: ready\n")
    yield SimpleNamespace(
        database=lambda: psycopg.connect(superuser_url(), autocommit=True),
        redis=SimpleNamespace(url=settings.REDIS_URL.partition("?")[0]),
        postgres=SimpleNamespace(data_dir=SimpleNamespace(logs=tmp_path)),
        logs=lambda: {"web-1": (tmp_path / "web").read_text() if (tmp_path / "web").exists() else ""},
        environment={name: name * 8 for name in ("SECRET_KEY", "PUNTO_SEED_KEY", "PUNTO_SEAL_KEY", "PUNTO_SIGN_KEYS")},
    )
    with psycopg.connect(superuser_url(), autocommit=True) as link:
        link.execute("DROP SCHEMA attack CASCADE")


@pytest.fixture
def clients(deployment: Any) -> Any:
    """The clients of the attack: none yet."""
    return SimpleNamespace(deployment=deployment, recorder=Recorder(), tokens={}, keys={}, passwords=set(), browsers=[])


@pytest.fixture
def application() -> Iterator[Callable[[Callable[[str, str], Told]], int]]:
    """Return a function that serves an HTTP application of the test and returns its port."""
    servers: list[ThreadingHTTPServer] = []

    def serve(answer: Callable[[str, str], Told]) -> int:
        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline()
                if self.raw_requestline and self.parse_request():
                    self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    status, body = answer(self.command, self.path)
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return int(server.server_address[1])

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()
