"""`make test`: all checks, on servers of its own."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from casino.local.chromium import chromium_ensure
from casino.local.node import node_ensure, script_checks
from casino.local.servers import throwaway_servers
from casino.local.setup_error import Terminated

PYTEST: Final = ["-m", "pytest"]
CHECKS: Final[dict[str, list[str]]] = {  # options of Python
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy"],
    "import contracts": ["-c", "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())"],
    "migrations": ["manage.py", "makemigrations", "--check", "--dry-run"],
    "pytest": [*PYTEST, "-n", "2", "--dist", "loadgroup"],
}


def test(checkout: Path, arguments: list[str]) -> int:
    """Run all checks and print a summary; with arguments run only pytest with them. Returns the exit code."""
    if not arguments:
        chromium_ensure()
        node_ensure(checkout)
    with throwaway_servers(checkout) as held:
        environment = held.environment() | {"DJANGO_SETTINGS_MODULE": "casino.settings.test", "PYTHONUNBUFFERED": "1"}
        if arguments:
            return _check([sys.executable, *PYTEST, *arguments], checkout, environment)
        commands = script_checks(checkout) | {name: [sys.executable, *words] for name, words in CHECKS.items()}
        codes = {}
        for name, command in commands.items():
            print(f"\n== {name}", flush=True)
            started = time.monotonic()
            codes[name] = _check(command, checkout, environment)
            print(
                f"== {name}: {'ok' if codes[name] == 0 else 'FAILED'} ({time.monotonic() - started:.0f} s)", flush=True
            )
    failed = [name for name, code in codes.items() if code]
    print(f"\nFailed: {', '.join(failed)}" if failed else "\nAll checks passed.", flush=True)
    return 1 if failed else 0


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
