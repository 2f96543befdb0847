"""The production layout on this machine: durable PostgreSQL, Redis, WSGI workers, ASGI for sockets and bets."""

import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from casino.local.manage import django
from casino.local.run import port_check
from casino.local.servers import Servers, throwaway_servers

CHECKOUT: Final = Path(__file__).resolve().parents[2]
WEB_PORT: Final = 8731
SOCKET_PORT: Final = 8732
ECHO_PORT: Final = 8733
LIMITED_PORT: Final = 8734
START_TIMEOUT_S: Final = 60
LIMITS: Final = {"PUNTO_RATE_LIMITS": "1", "PUNTO_BETS_PER_S": "1000000"}
WEB_WORKERS: Final = 2
WEB_THREADS: Final = 4


@dataclass(frozen=True, slots=True)
class BenchDatabase:
    """PostgreSQL and Redis, and the environment of the programs that use them."""

    servers: Servers
    environment: dict[str, str]
    postgres_pid: int

    @property
    def superuser_url(self) -> str:
        return self.environment["DATABASE_SUPERUSER_URL"]


@dataclass(frozen=True, slots=True)
class BenchEnvironment(BenchDatabase):
    """The running servers and processes, with process ids."""

    web_pid: int
    sockets_pid: int
    echo_pid: int
    limited_pid: int
    """Sockets and bets with limits that are too high to be reached."""


@contextmanager
def bench_environment() -> Iterator[BenchEnvironment]:
    """Start everything on an empty database, and stop it at the end."""
    with bench_database() as database, ExitStack() as stack:
        environment = database.environment
        web = ["web", "--workers", str(WEB_WORKERS), "--threads", str(WEB_THREADS)]
        yield BenchEnvironment(
            servers=database.servers,
            environment=environment,
            postgres_pid=database.postgres_pid,
            web_pid=stack.enter_context(program(web, environment, WEB_PORT)),
            sockets_pid=stack.enter_context(program(["sockets"], environment, SOCKET_PORT)),
            limited_pid=stack.enter_context(program(["sockets"], environment | LIMITS, LIMITED_PORT)),
            echo_pid=stack.enter_context(
                program(["sockets", "--application", "casino.bench.echo:application"], environment, ECHO_PORT)
            ),
        )


@contextmanager
def bench_database() -> Iterator[BenchDatabase]:
    """Start PostgreSQL and Redis with empty tables; at the end stop them and delete their data."""
    with throwaway_servers(CHECKOUT, "bench", durable=True) as held:
        if held.postgres is None or held.postgres.child is None:
            raise SystemExit("The benchmark uses its own PostgreSQL: unset DATABASE_URL.")
        if django(CHECKOUT, held, "migrate", "--verbosity", "0"):
            raise SystemExit("The migrations failed; the lines above say why.")
        environment = _variables(held)
        # Production's pages use hashed names of static files, so collectstatic runs first.
        subprocess.run(
            [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
            cwd=CHECKOUT,
            env=environment,
            check=True,
        )
        yield BenchDatabase(held, environment, held.postgres.child.pid)


def _variables(held: Servers) -> dict[str, str]:
    """Return the environment of the benchmark's programs."""
    return held.environment() | {
        "DJANGO_SETTINGS_MODULE": "casino.settings.prod",
        "SECRET_KEY": secrets.token_hex(32),
        "PUNTO_SEED_KEY": secrets.token_hex(32),
        "PUNTO_SEAL_KEY": secrets.token_hex(32),
        "PUNTO_SIGN_KEYS": secrets.token_hex(32),
        "PUNTO_ALLOWED_HOSTS": "127.0.0.1,localhost",
        "PUNTO_HTTPS": "0",
        "PUNTO_RATE_LIMITS": "0",
        "PUNTO_TABLE_DROP_S": "86400",  # sessions of one measurement must not end during the next
        "PUNTO_STAFF_FACTOR": "0",  # its staff sign in with a password alone
        "PUNTO_LOG_LEVEL": "WARNING",
        "PYTHONWARNINGS": "ignore",
    }


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process and its children have used so far, including ended children."""
    root = psutil.Process(pid)
    total = 0.0
    for process in (root, *root.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
        if process.pid == pid:
            total += times.children_user + times.children_system
    return total


def memory_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    return int(psutil.Process(pid).memory_info().rss)


@contextmanager
def program(words: list[str], environment: dict[str, str], port: int) -> Iterator[int]:
    """Run a program of `casino.serve` on this port during the block; yields its process id."""
    port_check(port)
    command = [sys.executable, "-m", "casino.serve", *words, "--port", str(port)]
    child = subprocess.Popen(command, cwd=CHECKOUT, env=environment, start_new_session=True)
    try:
        _await_answer(port, child)
        yield child.pid
    finally:
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _await_answer(port: int, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            if child.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"The program on port {port} does not answer.") from None
            time.sleep(0.1)
