"""The programs that `run` starts besides the servers. Their output is printed line by line with their names."""

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from casino.local.processes import wait_or_kill

SYSTEM: Final = "system"
"""The name in front of the lines of `run` itself."""
MAX_LINE_BYTES: Final = 2**16
LAST_LINES_TIMEOUT_S: Final = 2
COLOURS: Final = (36, 33, 32, 35)


class Output:
    """Prints all lines, each as a whole. A line that cannot be written (closed terminal, full disk) is dropped."""

    def __init__(self, descriptor: int, names: Iterable[str]) -> None:
        names = list(names)
        self._descriptor = descriptor
        self._width = max(len(name) for name in (SYSTEM, *names))
        self._colours = dict(zip(names, COLOURS, strict=False)) if os.isatty(descriptor) else {}
        self._lock = threading.Lock()

    def write(self, name: str, text: str) -> None:
        """Print each line of the text with the time and the name before it."""
        prefix = f"{time.strftime('%H:%M:%S')} {name:{self._width}} | "
        if name in self._colours:
            prefix = f"\033[0m\033[{self._colours[name]}m{prefix}\033[0m"
        data = "".join(f"{prefix}{line}\n" for line in text.splitlines()).encode(errors="backslashreplace")
        with self._lock, contextlib.suppress(OSError):
            while data:
                data = data[os.write(self._descriptor, data) :]


@dataclass(slots=True)
class Program:
    """One program. It has a session of its own, so Ctrl-C in the terminal reaches `run` alone."""

    name: str
    command: list[str]
    folder: Path
    environment: dict[str, str]
    output: Output
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _relay: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        self._child = subprocess.Popen(
            self.command, cwd=self.folder, env=self.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._relay = threading.Thread(target=self._lines_relay, args=(self._child,), name=self.name, daemon=True)
        self._relay.start()
        self.output.write(SYSTEM, f"{self.name} started (process {self._child.pid})")

    def exit_code(self) -> int | None:
        """Return the exit code after the last lines have been printed; None while it runs."""
        if self._child is None or self._child.poll() is None:
            return None
        self._last_lines_await()
        return self._child.returncode

    def stop_ask(self) -> None:
        """Ask it to stop, without waiting."""
        if self._child is not None:
            self._child.terminate()

    def stop_await(self) -> None:
        """Wait until it has stopped; kill it after a timeout."""
        if self._child is not None:
            wait_or_kill(self._child)
            self._last_lines_await()

    def _last_lines_await(self) -> None:
        if self._relay is not None:
            self._relay.join(LAST_LINES_TIMEOUT_S)  # a remaining child process may hold the pipe open

    def _lines_relay(self, child: subprocess.Popen[bytes]) -> None:
        if child.stdout is None:
            return
        with child.stdout as lines:
            while line := lines.readline(MAX_LINE_BYTES):
                self.output.write(self.name, line.decode(errors="replace"))


def programs_stop(programs: list[Program]) -> None:
    """Stop all of them, at the same time."""
    for program in programs:
        program.stop_ask()
    for program in programs:
        program.stop_await()
