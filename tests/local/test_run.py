"""`run` when something prevents it from running, and the commands that start it."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from casino.local.data_dirs import data_dirs_of
from casino.local.processes import marked
from tests.local.conftest import ROOT
from tests.local.starts import environment, port_free, refused, servers_of

pytestmark = pytest.mark.xdist_group("local-run")

GIVING_UP = """
import pathlib, sys
from casino.local.run import run
from casino.local.supervisor import RestartLimits
from casino.local.setup_error import SetupError
try:
    run(pathlib.Path(sys.argv[1]), port=int(sys.argv[2]), limits=RestartLimits(first_pause_s=0.1, max_restarts=1))
except SetupError as error:
    sys.exit(str(error))
"""


@pytest.fixture
def port() -> int:
    return port_free()


def test_a_program_that_ends_at_each_start_stops_everything(clone: Path, port: int) -> None:
    asgi = clone / "casino" / "asgi.py"
    whole = asgi.read_text()
    asgi.write_text("raise SystemExit('nothing to serve')\n")
    words = [sys.executable, "-c", GIVING_UP, str(clone), str(port)]
    try:
        done = subprocess.run(words, cwd=clone, env=environment(), capture_output=True, text=True, check=False)
    finally:
        asgi.write_text(whole)
    assert done.returncode == 1
    assert re.findall(r"^\S+ (web +\| nothing to serve|system \| web ended.*)$", done.stdout, re.MULTILINE) == [
        "web    | nothing to serve",
        "system | web ended with exit code 1; it is started again in 0.1 s",
        "web    | nothing to serve",
        "system | web ended with exit code 1",
    ]
    assert "web ended with exit code 1. It was started again 1 times within 10 minutes" in done.stderr
    assert servers_of(clone) == set()
    assert marked(clone) == []


def test_a_port_in_use_is_explained(clone: Path, port: int) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        said = refused(clone, port)
    assert f"Port {port} is in use by another program" in said
    assert f"make run PORT={port + 1}" in said


def test_a_terminated_test_run_stops_its_servers(clone: Path) -> None:
    waiting = clone / "test_waiting.py"
    waiting.write_text("import signal\n\ndef test_wait():\n    print('it waits', flush=True)\n    signal.pause()\n")
    command = [sys.executable, "-m", "casino.local", "test", "-s", waiting.name]
    child = subprocess.Popen(command, cwd=clone, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    while b"it waits" not in (line := child.stdout.readline()):
        assert line, "it ended by itself"
    assert data_dirs_of(clone, "test-") == [f"test-{child.pid}"]
    child.terminate()
    child.communicate(timeout=120)
    assert child.returncode == 130
    assert data_dirs_of(clone, "test-") == []


def test_make_calls_the_documented_commands() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "\t@python3 -m casino.local run --port $(PORT)\n" in makefile
    assert "\t@python3 -m casino.local test\n" in makefile
    ci = ROOT / ".ci" / "run"
    assert os.access(ci, os.X_OK)
    assert ci.read_text().splitlines()[-1] == "exec make test"
