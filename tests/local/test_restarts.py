"""`run` in a terminal: killed programs are started again, and Ctrl-C ends all.

In `make test` it finds the database of an earlier version, without the tables of one app. In `make soak` it comes after
another one that found no database and was killed.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pexpect
import psutil
import psycopg
import pytest

from casino.local.postgres import OWNER
from casino.local.processes import end, holders, marked
from casino.local.servers import addresses, servers
from casino.settings.waits import WAIT_S
from tests.local.conftest import eventually, is_alive, modes_unchanged
from tests.local.starts import answer, command, environment, port_free, refused, servers_of
from tests.support.long_form import IS_LONG
from tests.support.template_database import earlier_version_load

pytestmark = pytest.mark.xdist_group("local-run")

PROGRAMS = ("web", "worker", "beat", "bots")


class Terminal:
    """`run` in a terminal. `said` holds its output so far, without colours."""

    def __init__(self, clone: Path, port: int) -> None:
        self.clone, self.port = clone, port
        self._written = ""
        self.spawn = pexpect.spawn(sys.executable, command(port), cwd=str(clone), env=environment(), encoding="utf-8")
        # A terminal buffers few lines, so without a reader the programs would block.
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @property
    def said(self) -> str:
        return re.sub(r"\033\[[0-9]+m", "", self._written)

    def serves(self) -> bool:
        """Whether `run` answers. Until it has printed its address, another program may answer there."""
        return f"Punto is at http://127.0.0.1:{self.port}/" in self.said and answer(self.port, "readyz") == 200

    def close(self) -> int | None:
        """Press Ctrl-C and wait for the end; returns the exit code."""
        self.spawn.sendintr()
        self._reader.join(3 * WAIT_S)
        self.spawn.close(force=True)
        return self.spawn.exitstatus

    def processes(self) -> dict[str, int]:
        """Return the process ids of the programs and of the servers that are running, by name."""
        names = {"postgres": "PostgreSQL", "valkey-server": "Redis"}
        children = {}
        for child in psutil.Process(self.spawn.pid).children():
            with suppress(psutil.NoSuchProcess):  # a process may end between the list and its name
                children[child.pid] = child.name()
        started = {name: int(pid) for name, pid in re.findall(r"system \| (\w+) started \(process (\d+)\)", self.said)}
        found = {name: pid for name, pid in started.items() if pid in children}
        return found | {names[program]: pid for pid, program in children.items() if program in names}

    def _read(self) -> None:
        with suppress(pexpect.EOF):
            while True:
                self._written += self.spawn.read_nonblocking(4096, timeout=None)


SEATED = "practice bots take their seats"


@pytest.fixture(scope="module")
def modes(clone: Path) -> Iterator[None]:
    """The modes of the folders are the same after the module's tests."""
    with modes_unchanged(clone):
        yield


@pytest.fixture(scope="module")
def killed(clone: Path, modes: None) -> Iterator[tuple[int, set[psutil.Process]]]:
    """A `run` without terminal and HOME that was killed while serving: its port and the processes it left."""
    port = port_free()
    variables = {name: value for name, value in environment().items() if name != "HOME"}
    log = clone / ".punto" / "first.log"
    with (
        log.open("wb") as file,
        subprocess.Popen([sys.executable, *command(port)], cwd=clone, env=variables, stdout=file, stderr=file) as child,
    ):
        try:
            eventually(lambda: child.poll() is not None or answer(port, "readyz") == 200, timeout_s=3 * WAIT_S)
            assert child.poll() is None, log.read_text()
            with psycopg.connect(owner_url(clone), autocommit=True) as link:
                link.execute("CREATE TABLE kept (n integer)")
            left = servers_of(clone) | set(marked(clone))
            assert len(left) >= 5
        finally:
            child.kill()
    yield port, left
    end(left)  # none, unless a test failed


@pytest.fixture(scope="module")
def terminal(request: pytest.FixtureRequest, clone: Path, modes: None, django_db_setup: None) -> Iterator[Terminal]:
    """A `run` that serves until a test ends it; with `make soak` the next one after that which was killed."""
    if IS_LONG:
        port, _ = request.getfixturevalue("killed")
    else:
        port = port_free()
        with servers(clone, "run", durable=True) as held:
            assert held.postgres is not None
            earlier_version_load(held.postgres.url(OWNER), clone)
    terminal = Terminal(clone, port)
    try:
        eventually(lambda: not terminal.spawn.isalive() or terminal.serves(), timeout_s=3 * WAIT_S)
        assert terminal.spawn.isalive(), terminal.said
        yield terminal
    finally:
        if terminal.spawn.isalive():
            terminal.close()


def owner_url(clone: Path) -> str:
    postgres = addresses(clone, "run").postgres
    assert postgres is not None
    return postgres.url(OWNER)


@pytest.mark.soak
def test_a_start_after_kill_9_serves_the_saved_data_and_ends_the_processes_of_the_first(
    clone: Path, killed: tuple[int, set[psutil.Process]], terminal: Terminal
) -> None:
    _, left = killed
    assert not [process for process in left if is_alive(process)]
    with psycopg.connect(owner_url(clone)) as link:
        assert link.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_a_second_start_is_refused_with_the_id_of_the_first_which_goes_on(clone: Path, terminal: Terminal) -> None:
    before = terminal.processes()
    assert set(before) == {*PROGRAMS, "PostgreSQL", "Redis"}
    said = refused(clone, terminal.port)
    assert f"Punto runs from this folder already (process {terminal.spawn.pid})" in said
    assert terminal.processes() == before
    assert all(psutil.pid_exists(pid) for pid in before.values())


def test_the_programs_do_not_inherit_the_lock(clone: Path, terminal: Terminal) -> None:
    assert holders(clone / ".punto" / "run.lock") == [terminal.spawn.pid]


@pytest.mark.parametrize("name", [*(PROGRAMS if IS_LONG else ("web",)), "PostgreSQL", "Redis"])
def test_a_killed_program_is_started_again_and_the_others_go_on(name: str, clone: Path, terminal: Terminal) -> None:
    """`make test` kills one of the programs; with `make soak` each of them is killed."""
    before = terminal.processes()
    eventually(lambda: SEATED in terminal.said, timeout_s=3 * WAIT_S)  # until then bots need the database
    ready, seated = terminal.said.count("ready."), terminal.said.count(SEATED)
    left = psutil.Process(before[name]).children(recursive=True)
    os.kill(before[name], signal.SIGKILL)
    eventually(lambda: terminal.processes().get(name, before[name]) != before[name], timeout_s=3 * WAIT_S)
    eventually(terminal.serves, timeout_s=3 * WAIT_S)
    if name == "worker":
        eventually(lambda: terminal.said.count("ready.") > ready, timeout_s=3 * WAIT_S)
    if name == "bots":
        eventually(lambda: terminal.said.count(SEATED) > seated, timeout_s=3 * WAIT_S)
    after = terminal.processes()
    assert f"system | {name} was ended by SIGKILL; it is started again in 0.5 s" in terminal.said
    assert {each for each in after if after[each] != before[each]} == {name}
    # While a program replaces its process by Celery's, its environment cannot be read.
    eventually(lambda: {process.pid for process in marked(clone)} >= {after[program] for program in PROGRAMS})
    eventually(lambda: not [process for process in left if is_alive(process)])


def test_ctrl_c_stops_everything(clone: Path, terminal: Terminal) -> None:
    assert terminal.close() == 0
    assert "system | SIGINT received; everything stops" in terminal.said
    assert servers_of(clone) == set()
    assert marked(clone) == []
