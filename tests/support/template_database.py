"""One migration for all workers of pytest: the first one keeps a copy of its database, and the others start from it.
Another cluster is filled from a file."""

import fcntl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection, connections
from psycopg import sql
from psycopg.conninfo import make_conninfo

from casino.local.postgres import programs

TEMPLATE = "test_migrated"


@contextmanager
def migrated_once(folder: Path) -> Iterator[None]:
    """Have `setup_databases` in the block copy the migrated database if another worker has made it.

    `folder` is shared by all workers. The worker that made the copy removes it when `template_drop` is called.
    """
    with _locked(folder):
        is_made = _made(folder).exists()
        if is_made:
            connection.settings_dict["TEST"]["TEMPLATE"] = TEMPLATE
        yield
        if not is_made:
            connections.close_all()  # a database in use cannot be copied
            _owner_run(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(TEMPLATE)))
            copied = sql.Identifier(TEMPLATE), sql.Identifier(str(connection.settings_dict["NAME"]))
            _owner_run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*copied))
            _made(folder).write_text(str(connection.settings_dict["NAME"]))


def template_drop(folder: Path) -> None:
    """Remove the copy if it is of this worker's database."""
    with _locked(folder):
        made = _made(folder)
        if made.exists() and made.read_text() == connection.settings_dict["NAME"]:
            _owner_run(sql.SQL("DROP DATABASE {}").format(sql.Identifier(TEMPLATE)))
            made.unlink()


def migrated_dump(file: Path) -> None:
    """Write the test database, as its migrations left it, to a file of SQL. No test's rows may be in it."""
    url = make_conninfo(settings.DATABASE_OWNER_URL, dbname=connection.settings_dict["NAME"])
    _run("pg_dump", "--dbname", url, "--file", str(file))


def dump_load(file: Path, url: str) -> None:
    """Fill an empty database from that file, as the owner of its tables."""
    _run("psql", url, "--quiet", "--no-psqlrc", "--single-transaction", "-v", "ON_ERROR_STOP=1", "--file", str(file))


def earlier_version_load(url: str, folder: Path) -> None:
    """Fill an empty database with the tests' tables except one, which a migration then makes, as after an upgrade.

    The migrations of an empty database take five seconds. `folder` is for a temporary file.
    """
    migrated_dump(file := folder / "migrated.sql")
    dump_load(file, url)
    file.unlink()
    with psycopg.connect(url) as link:
        link.execute("DROP TABLE player_note")
        link.execute("DELETE FROM django_migrations WHERE app = 'player_files'")


def _run(program: str, *words: str) -> None:
    done = subprocess.run([str(programs() / program), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _made(folder: Path) -> Path:
    return folder / "migrated-database"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "migrated-database.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _owner_run(statement: sql.Composed) -> None:
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as link:
        link.execute(statement)
