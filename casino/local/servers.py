"""PostgreSQL and Redis for one purpose: embedded, or those that `DATABASE_URL` and `REDIS_URL` name."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from casino.local.places import place_for, place_remove, places_of
from casino.local.postgres import APP, OWNER, SUPERUSER, Postgres
from casino.local.redis import Redis
from casino.local.trouble import Trouble

WATCH_EVERY_S: Final = 0.5
MAX_RESTARTS: Final = 5


@dataclass(slots=True)
class Servers:
    """The servers in use; None where one of the user's own stands in."""

    postgres: Postgres | None
    redis: Redis | None
    _stopping: threading.Event = field(default_factory=threading.Event, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def environment(self) -> dict[str, str]:
        """Return this process's environment with the servers' addresses in it."""
        environment = dict(os.environ)
        if self.postgres:
            environment["DATABASE_URL"] = self.postgres.url(APP)
            environment["DATABASE_OWNER_URL"] = self.postgres.url(OWNER)
            environment["DATABASE_SUPERUSER_URL"] = self.postgres.url(SUPERUSER)
        if self.redis:
            environment["REDIS_URL"] = self.redis.url
        return environment

    def start(self) -> None:
        for server in self._embedded():
            server.start()

    def stop(self) -> None:
        """Stop both; data stays. Waits for a restart under way."""
        self._stopping.set()
        with self._lock:
            for server in self._embedded():
                server.stop()

    def watch(self, *, say: Callable[[str], None], give_up: Callable[[], None]) -> None:
        """From now on start a server again that ends by itself (killed, crashed); past MAX_RESTARTS call `give_up`."""
        threading.Thread(target=self._watch, args=(say, give_up), name="servers", daemon=True).start()

    def _watch(self, say: Callable[[str], None], give_up: Callable[[], None]) -> None:
        restarts = 0
        while not self._stopping.wait(WATCH_EVERY_S):
            with self._lock:
                for server in self._embedded():
                    if self._stopping.is_set() or server.child is None or server.child.poll() is None:
                        continue
                    restarts += 1
                    name = type(server).__name__
                    say(f"{name} stopped by itself (exit code {server.child.returncode}); starting it again")
                    try:
                        server.start()
                    except (Trouble, OSError) as error:
                        say(str(error))
                        restarts = MAX_RESTARTS
            if restarts >= MAX_RESTARTS:
                say("That cannot go on: everything stops. What was saved is kept.")
                give_up()
                return

    def _embedded(self) -> list[Postgres | Redis]:
        return [server for server in (self.postgres, self.redis) if server]


@contextmanager
def servers(checkout: Path, purpose: str, *, durable: bool) -> Iterator[Servers]:
    """Start what is not given from outside, hand it over, stop it in the end; its data stays.

    Raises Trouble where this checkout serves the same purpose already.
    """
    with alone(checkout, purpose), started(checkout, purpose, durable=durable) as held:
        yield held


@contextmanager
def started(checkout: Path, purpose: str, *, durable: bool) -> Iterator[Servers]:
    """The same for who holds the purpose's lock already."""
    held = _servers(checkout, purpose, durable=durable)
    try:
        held.start()
        yield held
    finally:
        held.stop()


@contextmanager
def throwaway_servers(checkout: Path) -> Iterator[Servers]:
    """The same for one run of tests: beside any other run, without a care for crashes, and nothing of it stays."""
    for left in places_of(checkout, "test-"):
        _sweep(checkout, left)
    purpose = f"test-{os.getpid()}"
    try:
        with servers(checkout, purpose, durable=False) as held:
            yield held
    finally:
        _remove(checkout, purpose)


def is_serving(checkout: Path, purpose: str) -> bool:
    """Whether servers of this purpose are up, started by another process of this checkout."""
    try:
        with alone(checkout, purpose):
            return False
    except Trouble:
        return True


def addresses(checkout: Path, purpose: str) -> Servers:
    """Return the servers of a purpose as they are, up or not, for their addresses."""
    return _servers(checkout, purpose, durable=True)


@contextmanager
def alone(checkout: Path, purpose: str) -> Iterator[IO[str]]:
    """Hold the purpose's lock: the system lets go of it when we die, so it is never stale."""
    (checkout / ".punto").mkdir(mode=0o700, exist_ok=True)
    with _lock_path(checkout, purpose).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            who = lock.read().strip() or "unknown"
            raise Trouble(f"Punto runs from this folder already (process {who}). Stop that one first.") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield lock


def _servers(checkout: Path, purpose: str, *, durable: bool) -> Servers:
    own_database, own_redis = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if own_database and own_redis:
        return Servers(None, None)
    place = place_for(checkout, purpose)
    return Servers(
        postgres=None if own_database else Postgres(place, durable), redis=None if own_redis else Redis(place, durable)
    )


def _sweep(checkout: Path, purpose: str) -> None:
    """Clear away what a killed test run left, its servers too; a run that is under way holds its lock."""
    with suppress(Trouble), alone(checkout, purpose):
        place = place_for(checkout, purpose)
        Postgres(place, durable=False).end_left()
        Redis(place, durable=False).end_left()
        _remove(checkout, purpose)


def _remove(checkout: Path, purpose: str) -> None:
    if purpose in places_of(checkout, purpose):
        place_remove(place_for(checkout, purpose))
    _lock_path(checkout, purpose).unlink(missing_ok=True)


def _lock_path(checkout: Path, purpose: str) -> Path:
    return checkout / ".punto" / f"{purpose}.lock"
