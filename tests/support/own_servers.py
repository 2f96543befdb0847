"""A PostgreSQL and a Redis for one test, which may stop and start them. Those of the test run are shared."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, connections
from psycopg.conninfo import make_conninfo

from apps.core.database_grants import APP_ROLE
from casino.local.data_dirs import data_dir_for, home_of
from casino.local.postgres import Postgres, programs
from casino.local.redis import Redis
from casino.settings.waits import WAIT_S


@contextmanager
def redis_run(checkout: Path) -> Iterator[Redis]:
    """Run a Redis that keeps its data below the folder."""
    checkout.mkdir(exist_ok=True)
    server = Redis(data_dir_for(checkout, "redis"), durable=False)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(home_of(checkout), ignore_errors=True)


@contextmanager
def postgres_run(checkout: Path) -> Iterator[Postgres]:
    """Run a copy of the test run's PostgreSQL, and have this process use its test database meanwhile."""
    checkout.mkdir(exist_ok=True)
    server = Postgres(data_dir_for(checkout, "postgres"), durable=False)
    _copy(server)
    server.start()
    held = connection.settings_dict["HOST"], connection.settings_dict["PORT"]
    try:
        _move(str(server.data_dir.sockets), "")
        yield server
    finally:
        _move(*held)
        server.stop()
        shutil.rmtree(home_of(checkout), ignore_errors=True)


def app_url_of(server: Postgres) -> str:
    """Return the address of the server's test database as the role of the servers."""
    return server.url(APP_ROLE, connection.settings_dict["NAME"])


def _copy(server: Postgres) -> None:
    """Copy the cluster while it runs: migrating an empty one would take longer."""
    subprocess.run(
        [
            str(programs() / "pg_basebackup"), "--checkpoint=fast", "--no-sync",
            "--dbname", make_conninfo(settings.DATABASE_SUPERUSER_URL),
            "--pgdata", str(server.data_dir.folder / "postgres"),
        ],
        check=True, timeout=WAIT_S, **server.data_dir.popen_options,
    )  # fmt: skip


def _move(host: str, port: str) -> None:
    connections.close_all()
    connection.settings_dict |= {"HOST": host, "PORT": port}
