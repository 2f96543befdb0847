"""`make test`: all checks, on servers of its own."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from casino.local.check_tools import check_tools_ensure
from casino.local.node import script_checks
from casino.local.servers import Servers, throwaway_servers
from casino.local.termination import Terminated

PYTEST: Final = ["-m", "pytest"]
CHECKS: Final[dict[str, list[str]]] = {  # options of Python
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy"],
    "import contracts": ["-c", "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())"],
    "migrations": ["manage.py", "makemigrations", "--check", "--dry-run"],
    "pytest": [*PYTEST, "-n", "3", "--dist", "loadgroup"],
}


def test(checkout: Path, arguments: list[str]) -> int:
    """Run all checks and print a summary; with arguments run only pytest with them. Returns the exit code."""
    if not arguments:
        check_tools_ensure(checkout)
    with throwaway_servers(checkout) as held:
        environment = checks_environment(held)
        if arguments:
            return _check([sys.executable, *PYTEST, *arguments], checkout, environment)
        commands = script_checks(checkout) | {name: [sys.executable, *words] for name, words in CHECKS.items()}
        codes = all_run(commands, checkout, environment)
    failed = [name for name, code in codes.items() if code]
    print(f"\nFailed: {', '.join(failed)}" if failed else "\nAll checks passed.", flush=True)
    return 1 if failed else 0


def checks_environment(held: Servers) -> dict[str, str]:
    """Return the environment of the checks on these servers.

    Bytecode is kept whatever the user has set: more than a hundred processes import the same code.
    """
    environment = held.environment() | {"DJANGO_SETTINGS_MODULE": "casino.settings.test", "PYTHONUNBUFFERED": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def all_run(commands: dict[str, list[str]], checkout: Path, environment: dict[str, str]) -> dict[str, int]:
    """Run pytest, and beside it the other checks one after the other. Returns the exit codes.

    Tests wait for pages and servers, and the other checks use the processor meanwhile.
    """
    beside = Beside({name: command for name, command in commands.items() if name != "pytest"}, checkout, environment)
    with ThreadPoolExecutor(1) as thread:
        others = thread.submit(beside.run)
        try:
            started = time.monotonic()
            code = _check(commands["pytest"], checkout, environment)
            _result_print("pytest", code, started)
            return others.result() | {"pytest": code}
        except BaseException:
            beside.stop()
            raise


class Beside:
    """Checks that run one after the other. The output of each is shown at its end."""

    def __init__(self, commands: dict[str, list[str]], checkout: Path, environment: dict[str, str]) -> None:
        self._commands = commands
        self._checkout = checkout
        self._environment = environment
        self._child: subprocess.Popen[str] | None = None
        self._is_stopped = False
        self._lock = threading.Lock()

    def run(self) -> dict[str, int]:
        """Return the exit codes."""
        codes = {}
        for name, command in self._commands.items():
            started = time.monotonic()
            child = self._start(command)
            if child is None:
                break
            output, _ = child.communicate()
            codes[name] = child.returncode
            print(f"\n{output}", end="", flush=True)
            _result_print(name, child.returncode, started)
        return codes

    def stop(self) -> None:
        """End the running check, and start no other."""
        with self._lock:
            self._is_stopped = True
            if self._child is not None and self._child.poll() is None:
                self._child.terminate()

    def _start(self, command: list[str]) -> "subprocess.Popen[str] | None":
        with self._lock:
            if self._is_stopped:
                return None
            self._child = subprocess.Popen(
                command, cwd=self._checkout, env=self._environment, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
            return self._child


def _result_print(name: str, code: int, started: float) -> None:
    said = "ok" if code == 0 else "FAILED"
    print(f"\n== {name}: {said} ({time.monotonic() - started:.0f} s)", flush=True)


def _check(command: list[str], checkout: Path, environment: dict[str, str]) -> int:
    child = subprocess.Popen(command, cwd=checkout, env=environment)
    try:
        return child.wait()
    except Terminated:
        child.terminate()
        child.wait()
        raise
    except KeyboardInterrupt:  # the terminal interrupts the child too, which must clean up before its servers stop
        child.wait()
        raise
