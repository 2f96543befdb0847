"""The processes of docker/compose.yml on this machine: two `web`, two `sockets`, a worker and beat.

They have a PostgreSQL and a Redis of their own. Each of them can be killed and is started again. All of them end
with this process.
"""

import os
import re
import secrets
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import make_conninfo

from casino.local.manage import django
from casino.local.postgres import OWNER, SUPERUSER, Postgres
from casino.local.redis import Redis
from casino.local.servers import throwaway_servers
from casino.settings.waits import WAIT_S
from tests.support.server import ROOT, Server, port_free
from tests.support.template_database import dump_load

OUTSIDE: Final = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL", "REDIS_URL", "PYTEST_XDIST_WORKER")
"""Variables that point to other servers. They are removed, since the attack kills its servers."""
PREFIX: Final = "attack"
CANARY: Final = "canary"
"""Prefix of each secret that the suite chooses, so that the secret is recognised anywhere."""
READY: Final = re.compile(r"celery@\S+ ready|beat: Starting")
WEB: Final = ("web", "--workers", "1", "--threads", "4")


class Program(Server):
    """A worker or beat. It has no port; its log says when it is ready."""

    def __init__(self, environment: dict[str, str], words: tuple[str, ...]) -> None:
        super().__init__(0, environment, words)
        self._ready_before = 0

    def launch(self) -> None:
        self._ready_before = self._ready_count()
        super().launch()

    def answer_await(self) -> None:
        self._await(lambda: self._ready_count() > self._ready_before)

    def _program(self) -> list[str]:
        return ["tests.support.bound", "-m", "casino.serve", *self._words]

    def _ready_count(self) -> int:
        return len(READY.findall(self.log_text)) if self._log.exists() else 0


@dataclass(slots=True)
class Deployment:
    """The running deployment. The names of `programs`: web-1, web-2, sockets-1, sockets-2, worker, beat."""

    postgres: Postgres
    redis: Redis
    environment: dict[str, str]
    programs: dict[str, Server]
    password: str
    """The password of the demo's log-ins."""
    _read: dict[str, int] = field(default_factory=dict)

    @property
    def web(self) -> list[Server]:
        return [self.programs["web-1"], self.programs["web-2"]]

    @property
    def sockets(self) -> list[Server]:
        return [self.programs["sockets-1"], self.programs["sockets-2"]]

    @property
    def ports(self) -> list[int]:
        """The ports that answer HTTP."""
        return [server.port for server in (*self.web, *self.sockets)]

    def database(self, **options: Any) -> psycopg.Connection:
        """Return a new connection as the superuser. Autocommit."""
        return psycopg.connect(self.postgres.url(SUPERUSER), autocommit=True, **options)

    def kill(self, name: str) -> None:
        """End one program or server by SIGKILL, and start it again."""
        server = {"postgres": self.postgres, "redis": self.redis}.get(name)
        if server is None:
            self.programs[name].kill()
            return
        assert server.child is not None
        server.child.kill()
        server.child.wait(timeout=WAIT_S)
        server.start()

    @contextmanager
    def without_schedule(self) -> Iterator[None]:
        """Halt the worker and beat during the block, since no request causes the rows that they write."""
        groups = [self.programs[name].pid for name in ("beat", "worker")]
        deadline = time.monotonic() + WAIT_S
        _signal_all(groups, signal.SIGSTOP)
        try:
            while self._is_writing():  # a halted transaction would keep its locks
                _signal_all(groups, signal.SIGCONT)
                assert time.monotonic() < deadline, "the worker is not idle"
                time.sleep(0.05)
                _signal_all(groups, signal.SIGSTOP)
            yield
        finally:
            _signal_all(groups, signal.SIGCONT)

    def _is_writing(self) -> bool:
        with self.database() as link:
            row = link.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                " AND state <> 'idle' AND pid <> pg_backend_pid()"
            ).fetchone()
        return row != (0,)

    def logs(self) -> dict[str, str]:
        """Return all that each program has written so far."""
        return {name: program.log_text for name, program in self.programs.items()}

    def logs_new(self) -> dict[str, str]:
        """Return what each program has written since the last call."""
        new = {}
        for name, text in self.logs().items():
            new[name] = text[self._read.get(name, 0) :]
            self._read[name] = len(text)
        return new


def _signal_all(groups: list[int], number: int) -> None:
    for group in groups:
        os.killpg(group, number)


@contextmanager
def deployment_start(migrated: Path | None = None) -> Iterator[Deployment]:
    """Start the deployment on a new database with the demo's data; stop it at the end. With a file of a migrated
    database no migration runs."""
    for name in OUTSIDE:
        os.environ.pop(name, None)
    with throwaway_servers(ROOT, PREFIX, durable=True) as held, ExitStack() as stack:
        assert held.postgres is not None
        assert held.redis is not None
        if migrated is not None:
            dump_load(migrated, held.postgres.url(OWNER))
        elif django(ROOT, held, "migrate", "--verbosity", "0", "--skip-checks"):
            raise SystemExit("The migrations failed; the lines above say why.")
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="punto-attack-")))
        password = canary()
        environment = held.environment() | _environment(password, folder)
        programs = _programs(environment, folder)
        for program in programs.values():
            stack.callback(program.close)
            program.launch()
        django_enter(environment)
        for program in programs.values():
            program.answer_await()
        yield Deployment(held.postgres, held.redis, environment, programs, password)


def canary() -> str:
    """Return a new secret with the canary prefix."""
    return f"{CANARY}-{secrets.token_hex(12)}"


def django_enter(environment: dict[str, str]) -> None:
    """Set up Django in this process, on the attacked database and with the servers' role."""
    import django as library

    os.environ.update(environment)
    library.setup()


def _environment(password: str, folder: Path) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "tests.attack.settings",
        "SECRET_KEY": secrets.token_hex(32),
        "PUNTO_SEED_KEY": secrets.token_hex(32),
        "PUNTO_SEAL_KEY": secrets.token_hex(32),
        "PUNTO_SIGN_KEYS": secrets.token_hex(32),
        "PUNTO_DEMO_PASSWORD": password,
        "PUNTO_SEAL_FILE": str(folder / "seals.jsonl"),
        "PUNTO_ALLOWED_HOSTS": "127.0.0.1,localhost",
        "PUNTO_HTTPS": "0",
        "PUNTO_STAFF_FACTOR": "0",  # its staff sign in with a password alone
        "PUNTO_TWO_PERSONS": "0",
        "PUNTO_PROXIES": "1",  # so that each client can state its IP address
        "PYTHONWARNINGS": "ignore",
    }


def _programs(environment: dict[str, str], folder: Path) -> dict[str, Server]:
    pooled = environment | {"PUNTO_DB_POOL": "1"}
    # `without_schedule` may halt these while they connect, for longer than a driver waits by itself.
    url = make_conninfo(environment["DATABASE_URL"], connect_timeout=WAIT_S)
    patient = environment | {"DATABASE_URL": url}
    return {
        "web-1": Server(port_free(), environment, WEB),
        "web-2": Server(port_free(), environment, WEB),
        "sockets-1": Server(port_free(), pooled, ("sockets",)),
        "sockets-2": Server(port_free(), pooled, ("sockets",)),
        "worker": Program(patient, ("worker", "--concurrency", "1")),
        "beat": Program(patient, ("beat", "--schedule", str(folder / "beat"))),
    }
