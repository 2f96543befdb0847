"""Makes the virtual environment from the lock file and enters it. Standard library only."""

import fcntl
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from casino.local.setup_error import SetupError

MIN_PYTHON = (3, 11)
STAMP = "punto-lock"


def enter(checkout: Path, *, tests: bool, arguments: list[str], beside: Callable[[], None] | None = None) -> None:
    """Continue in `.venv` with the locked packages; makes or completes it first, and runs `beside` meanwhile. Replaces
    this process if it is not yet the environment's Python.
    """
    if sys.version_info < MIN_PYTHON:
        raise SetupError(
            f"Punto needs Python {'.'.join(map(str, MIN_PYTHON))} or newer; this is {sys.version.split()[0]}."
        )
    folder = checkout / ".venv"
    python = folder / "bin" / "python"
    with ThreadPoolExecutor(1) as thread:
        other = thread.submit(beside) if beside else None
        _make(checkout, folder, tests=tests)
        if other:
            other.result()
    if Path(sys.prefix).resolve() != folder.resolve():
        sys.stdout.flush()
        os.chdir(checkout)
        os.execv(python, [str(python), "-m", "casino.local", *arguments])  # noqa: S606


def _make(checkout: Path, folder: Path, *, tests: bool) -> None:
    if _is_current(checkout, folder, tests=tests):
        return
    (checkout / ".punto").mkdir(mode=0o700, exist_ok=True)
    with (checkout / ".punto" / "venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two concurrent commands one installs and the other waits
        if _is_current(checkout, folder, tests=tests):
            return
        if not _works(folder):
            _create(folder)
        lock_file = _lock_file(checkout, tests=tests)
        print(f"Installing the packages of {lock_file.name} into {folder.name} (once) ...", flush=True)
        _install(folder, lock_file)
        _stamp(folder, tests=tests).write_text(_digest(lock_file))
        if tests:  # the lock file of the tests contains all packages of the other
            _stamp(folder, tests=False).write_text(_digest(_lock_file(checkout, tests=False)))


def _create(folder: Path) -> None:
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise SetupError(
            "This Python cannot make virtual environments: its venv or ensurepip module is missing.\n"
            "On Debian and Ubuntu: apt-get install python3-venv"
        )
    print(f"Making the virtual environment {folder.name} ...", flush=True)
    base = getattr(sys, "_base_executable", sys.executable)
    command = [base, "-m", "venv", "--clear", str(folder)]
    if subprocess.run(command, check=False).returncode:
        raise SetupError("The virtual environment could not be made; the lines above say why.")


def _install(folder: Path, lock_file: Path) -> None:
    """Install each half of the lock file by a pip of its own: one alone keeps one processor busy for half a minute."""
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", *_PIP_OPTIONS]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory(prefix="punto-pip-") as parts:
        children = []
        for number, text in enumerate(lock_halves(lock_file.read_text())):
            part = Path(parts, f"{number}.txt")
            part.write_text(text)
            children.append(subprocess.Popen([*pip, "-r", str(part)], env=environment))
        codes = [child.wait() for child in children]
    if any(codes):
        raise SetupError(
            f"The packages of {lock_file.name} could not be installed; pip's lines above say why.\n"
            "The usual causes are the network and a full disk. Run the command again: installed packages are kept."
        )


_PIP_OPTIONS: Final = (
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--require-hashes",
    "--no-deps",  # the lock file has all packages
    "--no-compile",  # half of pip's time; Python compiles only the imported modules, a small part of all
)


def lock_halves(lock: str) -> list[str]:
    """Return two lock files with every other package each, with its hashes."""
    packages = re.split(r"\n(?=[^\s#])", lock)
    return ["\n".join(packages[number::2]) for number in range(2)]


def _is_current(checkout: Path, folder: Path, *, tests: bool) -> bool:
    stamp = _stamp(folder, tests=tests)
    return stamp.is_file() and stamp.read_text() == _digest(_lock_file(checkout, tests=tests)) and _works(folder)


def _works(folder: Path) -> bool:
    """Return whether the environment's Python starts. It does not after the checkout was moved or its Python
    removed."""
    python = folder / "bin" / "python"
    if not python.exists():
        return False
    probe = [str(python), "-c", "import pip, sys; sys.exit(sys.prefix == sys.base_prefix)"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _lock_file(checkout: Path, *, tests: bool) -> Path:
    return checkout / ("requirements-test.lock" if tests else "requirements.lock")


def _stamp(folder: Path, *, tests: bool) -> Path:
    return folder / (f"{STAMP}-test" if tests else STAMP)


def _digest(lock_file: Path) -> str:
    return hashlib.sha256(lock_file.read_bytes()).hexdigest()
