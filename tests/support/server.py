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

from casino.settings.waits import WAIT_S

MAX_RESTING = 2
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
        self._rest_file = Path(self._folder.name, "rest")
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

    def rest(self) -> None:
        """End the serving process, and keep the one that it is forked from."""
        served = self.pid
        self._rest_file.touch()
        os.kill(served, signal.SIGKILL)
        self._await(lambda: self.pid == 0)

    def wake(self) -> None:
        """Serve again after `rest`, with an empty log."""
        assert self._supervisor is not None
        assert self._supervisor.stdin is not None
        self._rest_file.unlink()
        os.truncate(self._log, 0)
        self._supervisor.stdin.write(b"\n")
        self._supervisor.stdin.flush()
        self._await(lambda: self.pid != 0)
        self.answer_await()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Refuse connections during the block."""
        self.rest()
        try:
            yield
        finally:
            self.wake()

    @property
    def is_running(self) -> bool:
        return self._supervisor is not None and self._supervisor.poll() is None

    def launch(self) -> None:
        """Start without waiting. The server ends with the calling thread."""
        with self._log.open("ab") as log:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-m", *self._program()],
                cwd=ROOT, env=self._environment, stdin=subprocess.DEVNULL if self._words else subprocess.PIPE,
                stdout=log, stderr=log, start_new_session=True,
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
        if self.is_running:
            self._group_kill()
        if self._supervisor is not None and self._supervisor.stdin is not None:
            self._supervisor.stdin.close()
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
        self._supervisor.wait(timeout=WAIT_S)

    def _await(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_S
        while not condition():
            assert self._supervisor is not None
            if self._supervisor.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the server does not start:\n{self.log_text}")
            time.sleep(0.02)


def app_url() -> str:
    """Return the address of the test database as the role of the servers."""
    from apps.core.database_grants import APP_ROLE  # models: `make attack` starts its servers before it sets Django up

    return make_conninfo(settings.DATABASE_OWNER_URL, dbname=connection.settings_dict["NAME"], user=APP_ROLE)


def server_environment() -> dict[str, str]:
    """Return the environment of a server on the test database, without variables of the test process alone."""
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_TESTS}
    return inherited | {
        "DJANGO_SETTINGS_MODULE": "casino.settings.test",
        "DATABASE_URL": app_url(),
        "DATABASE_OWNER_URL": app_url(),
        "REDIS_URL": settings.REDIS_URL,
        "PUNTO_DB_POOL": "1",
    }


_OF_TESTS = ("DJANGO_ALLOW_ASYNC_UNSAFE", "PYTEST_CURRENT_TEST")


@contextmanager
def server_run(*words: str, **environment: str) -> Iterator[Server]:
    """Run a server during the block, with `environment` added to the inherited one. Needs `committed`.

    `words` are the kind and options of `casino.serve`, if not those of the sockets.
    """
    server = _woken(environment) if not words else None
    if server is None:
        server = Server(port_free(), server_environment() | environment, words)
    try:
        if not server.is_running:
            server.start()
        yield server
    except BaseException:
        server.close()
        raise
    if words or not server.is_running:
        server.close()
    else:
        server.rest()
        _resting.append((environment, server))
        resting_servers_close(keep=MAX_RESTING)


_resting: list[tuple[dict[str, str], Server]] = []
"""Servers without a serving process, for the next test that needs one with this environment: importing Django takes
seconds."""


def resting_servers_close(*, keep: int = 0) -> None:
    """Close all resting servers but the last ones."""
    while len(_resting) > keep:
        _resting.pop(0)[1].close()


def _woken(environment: dict[str, str]) -> Server | None:
    """Return the resting server with this environment, serving again; None if there is none."""
    for resting in _resting:
        if resting[0] == environment:
            _resting.remove(resting)
            resting[1].wake()
            return resting[1]
    return None


def port_free() -> int:
    """Return a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
