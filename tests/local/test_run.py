"""`run` when something prevents its start, and the commands that start it."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.local.data_dirs import data_dirs_of
from casino.local.processes import marked
from casino.settings.waits import WAIT_S
from tests.local.conftest import ROOT, private_checkout
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
PROGRAM = """
import signal, sys
if "web" in sys.argv:
    sys.exit("nothing to serve")
signal.pause()
"""


@pytest.fixture
def port() -> int:
    return port_free()


@pytest.fixture
def no_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkout with `casino.local` alone. Its commands do nothing, web ends at once, and the other programs wait."""
    with private_checkout(tmp_path_factory) as checkout:
        local = checkout / "casino" / "local"
        shutil.copytree(ROOT / "casino" / "local", local, ignore=shutil.ignore_patterns("*.pyc.*"))
        (checkout / "casino" / "__init__.py").touch()
        (checkout / "casino" / "serve.py").write_text(PROGRAM)
        (checkout / "django.py").write_text(PROGRAM)
        (checkout / "manage.py").touch()
        yield checkout


def test_a_program_that_ends_at_each_start_stops_everything(no_product: Path, port: int) -> None:
    words = [sys.executable, "-c", GIVING_UP, str(no_product), str(port)]
    done = subprocess.run(words, cwd=no_product, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert re.findall(r"^\S+ (web +\| nothing to serve|system \| web ended.*)$", done.stdout, re.MULTILINE) == [
        "web    | nothing to serve",
        "system | web ended with exit code 1; it is started again in 0.1 s",
        "web    | nothing to serve",
        "system | web ended with exit code 1",
    ]
    assert "web ended with exit code 1. It was started again 1 times within 10 minutes" in done.stderr
    assert servers_of(no_product) == set()
    assert marked(no_product) == []


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
    child.communicate(timeout=WAIT_S)
    assert child.returncode == 130
    assert data_dirs_of(clone, "test-") == []


def test_a_second_termination_does_not_interrupt_the_end_of_the_first() -> None:
    script = """
import os, signal, sys
from casino.local.termination import until_terminated
def command():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        print("everything is stopped")
sys.exit(until_terminated(command))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "everything is stopped\n"), done.stderr


def test_make_calls_the_documented_commands() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "\t@python3 -m casino.local run --port $(PORT)\n" in makefile
    assert "\t@python3 -m casino.local test\n" in makefile
    ci = ROOT / ".ci" / "run"
    assert os.access(ci, os.X_OK)
    assert ci.read_text().splitlines()[-1] == "exec make test"
