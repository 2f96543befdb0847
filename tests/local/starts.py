"""Helpers for tests of `run`: they start it, check whether it answers, and find its servers."""

import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import psutil

from casino.local.data_dirs import home_of
from casino.settings.waits import WAIT_S
from tests.local.conftest import OUTSIDE


def environment() -> dict[str, str]:
    ours = {*OUTSIDE, "DJANGO_SETTINGS_MODULE"}
    return {name: value for name, value in os.environ.items() if name not in ours and not name.startswith("PYTEST")}


def command(port: int) -> list[str]:
    return ["-m", "casino.local", "run", "--port", str(port)]


def port_free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def refused(clone: Path, port: int) -> str:
    """Start `run` in a place where it must fail, and return its message."""
    done = subprocess.run(
        [sys.executable, *command(port)], cwd=clone, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


def answer(port: int, path: str) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=WAIT_S) as response:
        return int(response.status)


def servers_of(clone: Path) -> set[psutil.Process]:
    """Return PostgreSQL and Redis of the checkout, which both have a folder of it as an argument."""
    folder = str(home_of(clone) / "run")
    return {
        process
        for process in psutil.process_iter(["cmdline"])
        if any(word.startswith(folder) for word in process.info["cmdline"] or [])
    }
