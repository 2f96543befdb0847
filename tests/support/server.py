"""The real server in a process of its own, on the test database, as the role of the servers."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from apps.core.grants import APP_ROLE

START_TIMEOUT_S = 60
ROOT = Path(__file__).parents[2]


class Server:
    """Pages and sockets on one port of 127.0.0.1. `log_text` is all that it has written so far."""

    def __init__(self, port: int, environment: Mapping[str, str]) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.socket_url = f"ws://127.0.0.1:{port}/v1/ws"
        self._environment = dict(environment)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log_text(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def start(self) -> None:
        """Start, or start again after a stop, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                sys.executable, "-m", "uvicorn", "casino.asgi:application",
                "--host", "127.0.0.1", "--port", str(self.port), "--no-access-log",
            ],
            cwd=ROOT, env=self._environment, stdout=self._log, stderr=self._log, start_new_session=True,
        )  # fmt: skip
        self._await_answer()

    def kill(self) -> None:
        """End it as a crash would: SIGKILL, no farewell."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(timeout=30)

    def stop(self) -> None:
        """End it in good order."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()

    def close(self) -> None:
        """Stop, and let the log go."""
        self.stop()
        self._log.close()

    def _await_answer(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"the server does not start:\n{self.log_text}") from None
                time.sleep(0.05)


def app_url() -> str:
    """Return the address of the test database as the role of the servers."""
    return make_conninfo(settings.DATABASE_OWNER_URL, dbname=connection.settings_dict["NAME"], user=APP_ROLE)


@contextmanager
def server_run(**environment: str) -> Iterator[Server]:
    """Run a server for the time of the block; `environment` adds to what it inherits. Needs `committed`."""
    inherited = os.environ | {
        "DJANGO_SETTINGS_MODULE": "casino.settings.test",
        "DATABASE_URL": app_url(),
        "DATABASE_OWNER_URL": app_url(),
        "REDIS_URL": settings.REDIS_URL,
    }
    server = Server(port_free(), inherited | environment)
    try:
        server.start()
        yield server
    finally:
        server.close()


def port_free() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
