"""PostgreSQL and Redis for one purpose: embedded, or those that `DATABASE_URL` and `REDIS_URL` name."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from casino.local.data_dirs import data_dir_for, data_dir_remove, data_dirs_of
from casino.local.postgres import APP, OWNER, SUPERUSER, Postgres
from casino.local.processes import holders
from casino.local.redis import Redis
from casino.local.setup_error import SetupError


@dataclass(slots=True)
class Servers:
    """The servers in use; None for one that the user provides."""

    postgres: Postgres | None
    redis: Redis | None

    def environment(self) -> dict[str, str]:
        """Return this process's environment with the servers' addresses."""
        environment = dict(os.environ)
        if self.postgres:
            environment["DATABASE_URL"] = self.postgres.url(APP)
            environment["DATABASE_OWNER_URL"] = self.postgres.url(OWNER)
            environment["DATABASE_SUPERUSER_URL"] = self.postgres.url(SUPERUSER)
        if self.redis:
            environment["REDIS_URL"] = self.redis.url
        return environment

    def embedded(self) -> list[Postgres | Redis]:
        """Return the servers that this process starts, watches and stops."""
        return [server for server in (self.postgres, self.redis) if server]

    def start(self) -> None:
        for server in self.embedded():
            server.start()

    def stop(self) -> None:
        """Stop both; data stays."""
        for server in self.embedded():
            server.stop()


@contextmanager
def servers(checkout: Path, purpose: str, *, durable: bool) -> Iterator[Servers]:
    """Start the servers that the user does not provide, and stop them at the end; their data stays.

    Raises SetupError if this checkout already serves the same purpose.
    """
    with alone(checkout, purpose), started(checkout, purpose, durable=durable) as held:
        yield held


@contextmanager
def started(checkout: Path, purpose: str, *, durable: bool) -> Iterator[Servers]:
    """Do the same for a caller that holds the purpose's lock."""
    held = _servers(checkout, purpose, durable=durable)
    try:
        held.start()
        yield held
    finally:
        held.stop()


@contextmanager
def throwaway_servers(checkout: Path, prefix: str = "test", *, durable: bool = False) -> Iterator[Servers]:
    """Do the same for one temporary run of `prefix`, which may run beside others; its data is deleted.

    Without `durable` committed data may be lost if the server's process is killed.
    """
    for left in data_dirs_of(checkout, f"{prefix}-"):
        _sweep(checkout, left)
    purpose = f"{prefix}-{os.getpid()}"
    try:
        with servers(checkout, purpose, durable=durable) as held:
            yield held
    finally:
        _remove(checkout, purpose)


def is_serving(checkout: Path, purpose: str) -> bool:
    """Return whether another process of this checkout runs the servers of this purpose."""
    with _lock_file(checkout, purpose) as lock:
        return not _lock_take(lock)


def addresses(checkout: Path, purpose: str) -> Servers:
    """Return the servers of a purpose for their addresses, whether they run or not."""
    return _servers(checkout, purpose, durable=True)


@contextmanager
def alone(checkout: Path, purpose: str) -> Iterator[IO[str]]:
    """Hold the purpose's lock. The system releases it when this process ends, so it is never stale.

    Started programs do not inherit the lock's file, but a plain fork would, and would hold the lock after this process
    has ended. So code under the lock must not fork (`multiprocessing` with "fork", `os.fork`).
    """
    with _lock_file(checkout, purpose) as lock:
        if not _lock_take(lock):
            raise SetupError(f"Punto runs from this folder already ({_holder(lock)}). Stop that one first.")
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield lock


def _lock_file(checkout: Path, purpose: str) -> IO[str]:
    (checkout / ".punto").mkdir(mode=0o700, exist_ok=True)
    return _lock_path(checkout, purpose).open("a+")


def _lock_take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(lock: IO[str]) -> str:
    """Return a description of the process that holds a lock. The id in the file may be that of an earlier holder."""
    lock.seek(0)
    written = lock.read().strip()
    holding = [str(pid) for pid in holders(Path(lock.name).resolve())]
    if holding:
        return f"process {written if written in holding else holding[0]}"
    # The open files of another user's processes cannot be seen.
    if written.isdigit() and psutil.pid_exists(int(written)):
        return f"process {written}"
    return "by another user"


def _servers(checkout: Path, purpose: str, *, durable: bool) -> Servers:
    own_database, own_redis = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if own_database and own_redis:
        return Servers(None, None)
    data_dir = data_dir_for(checkout, purpose)
    return Servers(
        postgres=None if own_database else Postgres(data_dir, durable),
        redis=None if own_redis else Redis(data_dir, durable),
    )


def _sweep(checkout: Path, purpose: str) -> None:
    """Remove the data and servers of killed test runs. A run that is still going on holds its lock."""
    with suppress(SetupError), alone(checkout, purpose):
        data_dir = data_dir_for(checkout, purpose)
        Postgres(data_dir, durable=False).end_left()
        Redis(data_dir, durable=False).end_left()
        _remove(checkout, purpose)


def _remove(checkout: Path, purpose: str) -> None:
    if purpose in data_dirs_of(checkout, purpose):
        data_dir_remove(data_dir_for(checkout, purpose))
    _lock_path(checkout, purpose).unlink(missing_ok=True)


def _lock_path(checkout: Path, purpose: str) -> Path:
    return checkout / ".punto" / f"{purpose}.lock"
