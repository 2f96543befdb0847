"""`run` as its user meets it: a terminal, an address, Ctrl-C; and what happens when something is in its way."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pexpect
import psutil
import pytest

from casino.local.places import home_of, places_of
from casino.local.processes import marked
from casino.local.run import MARK
from tests.local.conftest import OUTSIDE, ROOT, eventually

pytestmark = pytest.mark.xdist_group("local-run")

START_TIMEOUT_S = 180


@pytest.fixture(scope="module")
def clone(checkout: Path) -> Path:
    """The checkout with the project in it, as a clone would have it, and with its packages installed."""
    left_out = shutil.ignore_patterns(".git", ".venv", ".punto", ".*_cache", "__pycache__", "staticfiles", "tests")
    shutil.copytree(ROOT, checkout, ignore=left_out, dirs_exist_ok=True)
    (checkout / ".venv").symlink_to((ROOT / ".venv").resolve())
    return checkout


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment() -> dict[str, str]:
    ours = {*OUTSIDE, "DJANGO_SETTINGS_MODULE"}
    return {name: value for name, value in os.environ.items() if name not in ours and not name.startswith("PYTEST")}


def command(port: int) -> list[str]:
    return ["-m", "casino.local", "run", "--port", str(port)]


def start(clone: Path, port: int) -> pexpect.spawn:
    """Start it in a terminal; returns when it serves."""
    terminal = pexpect.spawn(
        sys.executable, command(port), cwd=str(clone), env=environment(), encoding="utf-8", timeout=START_TIMEOUT_S
    )
    terminal.expect_exact(f"Punto is at http://127.0.0.1:{port}/")
    eventually(lambda: answer(port, "readyz") == 200, timeout_s=START_TIMEOUT_S)
    return terminal


def refused(clone: Path, port: int) -> str:
    """Start it where it cannot start; returns what it says."""
    done = subprocess.run(
        [sys.executable, *command(port)], cwd=clone, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


def answer(port: int, path: str) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=30) as response:
        return int(response.status)


def servers_of(clone: Path) -> set[psutil.Process]:
    """Return PostgreSQL and Redis of the checkout: both have a folder of it among their arguments."""
    folder = str(home_of(clone) / "run")
    return {
        process
        for process in psutil.process_iter(["cmdline"])
        if any(word.startswith(folder) for word in process.info["cmdline"] or [])
    }


def test_a_day_of_run(clone: Path, port: int, modes_unchanged: None) -> None:
    terminal = start(clone, port)
    assert len(servers_of(clone)) == 2
    assert "runs from this folder already" in refused(clone, port)

    # The terminal's process dies without a word; web, worker, beat and both servers stay behind.
    left = servers_of(clone) | set(marked(MARK, str(clone)))
    assert len(left) >= 5
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.wait()

    terminal = start(clone, port)  # in the same place: the port is free again, the data is there
    assert not [process for process in left if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert servers_of(clone) == set()
    assert marked(MARK, str(clone)) == []


def test_a_port_in_use_is_said_in_words(clone: Path, port: int) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        said = refused(clone, port)
    assert f"Port {port} is in use by another program" in said
    assert f"make run PORT={port + 1}" in said


def test_a_test_run_that_is_ended_takes_its_servers_along(clone: Path) -> None:
    waiting = clone / "test_waiting.py"
    waiting.write_text("import signal\n\ndef test_wait():\n    print('it waits', flush=True)\n    signal.pause()\n")
    command = [sys.executable, "-m", "casino.local", "test", "-s", waiting.name]
    child = subprocess.Popen(command, cwd=clone, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    while b"it waits" not in (line := child.stdout.readline()):
        assert line, "it ended by itself"
    assert places_of(clone, "test-") == [f"test-{child.pid}"]
    child.terminate()
    child.communicate(timeout=120)
    assert child.returncode == 130
    assert places_of(clone, "test-") == []


def test_the_commands_of_the_project_are_these() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "\t@python3 -m casino.local run --port $(PORT)\n" in makefile
    assert "\t@python3 -m casino.local test\n" in makefile
    ci = ROOT / ".ci" / "run"
    assert os.access(ci, os.X_OK)
    assert ci.read_text().splitlines()[-1] == "exec make test"
