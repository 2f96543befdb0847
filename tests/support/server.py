"""The real server in a process of its own, on the test database, with the role of the servers."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

START_TIMEOUT_S = 90
ROOT = Path(__file__).parents[2]


class Server:
    """Pages and sockets on one port of 127.0.0.1.

    `words` are the kind and options of `casino.serve`. Without them it runs `casino.serve sockets`, which is replaced
    at once after a kill.
    """

    def __init__(self, port: int, environment: Mapping[str, str], words: Sequence[str] = ()) -> None:
        self.port = port
        self._words = words
        self.url = f"http://127.0.0.1:{port}"
        self.socket_url = f"ws://127.0.0.1:{port}/v1/ws"
        self._environment = dict(environment)
        self._folder = tempfile.TemporaryDirectory(prefix="punto-server-")
        self._log = Path(self._folder.name, "log")
        self._pid_file = Path(self._folder.name, "pid")
        self._supervisor: subprocess.Popen[bytes] | None = None

    @property
    def log_text(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def pid(self) -> int:
        """The process that serves."""
        if self._words:
            assert self._supervisor is not None
            return self._supervisor.pid
        return int(self._pid_file.read_text() or 0)

    def start(self) -> None:
        """Start, and wait until it answers."""
        self.launch()
        self.answer_await()

    def launch(self) -> None:
        """Start without waiting. The server ends with the calling thread."""
        with self._log.open("ab") as log:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-m", *self._program()],
                cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def kill(self) -> None:
        """Kill the server by SIGKILL, and return when its replacement answers."""
        former = self.pid
        if self._words:
            self._group_kill()
            self.launch()
        else:
            os.kill(former, signal.SIGKILL)
            self._await(lambda: self.pid != former)
        self.answer_await()

    def close(self) -> None:
        """End the server and the process that replaces it."""
        if self._supervisor is not None and self._supervisor.poll() is None:
            self._group_kill()
        self._folder.cleanup()

    def answer_await(self) -> None:
        """Return when the server answers. Raises AssertionError if it has ended or takes too long."""

        def answers() -> bool:
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                    return True
            except (urllib.error.URLError, OSError):
                return False

        self._await(answers)

    def _program(self) -> list[str]:
        if self._words:
            return ["tests.support.bound", "-m", "casino.serve", *self._words, "--port", str(self.port)]
        return ["tests.support.preloaded", str(self.port), str(self._pid_file)]

    def _group_kill(self) -> None:
        assert self._supervisor is not None
        # The process group is the server's own.
        os.killpg(self._supervisor.pid, signal.SIGKILL)
        self._supervisor.wait(timeout=30)

    def _await(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not condition():
            assert self._supervisor is not None
            if self._supervisor.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the server does not start:\n{self.log_text}")
            time.sleep(0.02)


def app_url() -> str:
    """Return the address of the test database as the role of the servers."""
    from apps.core.grants import APP_ROLE  # models: `make attack` starts its servers before it sets Django up

    return make_conninfo(settings.DATABASE_OWNER_URL, dbname=connection.settings_dict["NAME"], user=APP_ROLE)


@contextmanager
def server_run(*words: str, **environment: str) -> Iterator[Server]:
    """Run a server during the block, with `environment` added to the inherited one. Needs `committed`.

    `words` are the kind and options of `casino.serve`, if not those of the sockets.
    """
    inherited = os.environ | {
        "DJANGO_SETTINGS_MODULE": "casino.settings.test",
        "DATABASE_URL": app_url(),
        "DATABASE_OWNER_URL": app_url(),
        "REDIS_URL": settings.REDIS_URL,
        "PUNTO_DB_POOL": "1",
    }
    server = Server(port_free(), inherited | environment, words)
    try:
        server.start()
        yield server
    finally:
        server.close()


def port_free() -> int:
    """Return a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
