"""The supervisor restarts programs, finds the processes of a killed start, and names the holder of a lock. No
servers."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from casino.local import processes
from casino.local.processes import end, marked, orphans
from casino.local.programs import Output, Program, programs_stop
from casino.local.servers import alone
from casino.local.setup_error import SetupError
from casino.local.supervisor import RestartHistory, RestartLimits, Supervisor
from casino.settings.waits import WAIT_S
from tests.local.conftest import ROOT, eventually

QUICK = RestartLimits(first_pause_s=0.01, longest_pause_s=0.02, max_restarts=3)
WAIT = "import signal; print('it waits', flush=True); signal.pause()"


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[], list[str]]:
    """Return a function that reads the lines of `output` without their times."""
    return lambda: [line.split(" ", 1)[1] for line in (tmp_path / "output").read_text().splitlines()]


@pytest.fixture
def output(tmp_path: Path) -> Iterator[Output]:
    with (tmp_path / "output").open("wb") as file:
        yield Output(file.fileno(), ["web", "worker"])


@pytest.fixture
def program(tmp_path: Path, output: Output) -> Iterator[Callable[[str, str], Program]]:
    """Return a function that makes a program of Python code; all are stopped at the end."""
    made: list[Program] = []

    def make(name: str, code: str) -> Program:
        made.append(Program(name, [sys.executable, "-c", code], tmp_path, dict(os.environ), output))
        return made[-1]

    yield make
    programs_stop(made)


def supervisor(output: Output, *programs: Program) -> Supervisor:
    return Supervisor(programs, limits=QUICK, say=lambda line: output.write("system", line), clear=lambda: None)


def pid(program: Program) -> int:
    assert program._child is not None
    return program._child.pid


@contextmanager
def watched(supervisor: Supervisor) -> Iterator[None]:
    """Let the supervisor watch during the block."""
    stop_requests: queue.SimpleQueue[int] = queue.SimpleQueue()
    thread = threading.Thread(target=supervisor.watch, args=(stop_requests,))
    thread.start()
    yield
    stop_requests.put(signal.SIGTERM)
    thread.join()


def pauses(ends: list[float], limits: RestartLimits) -> list[float | None]:
    """Return the pause after each end at these times."""
    history = RestartHistory(limits)
    plans = [history.restart_plan(now) for now in ends]
    return [plan if plan is None else plan - now for plan, now in zip(plans, ends, strict=True)]


def test_pauses_double_up_to_the_longest_and_stop_at_the_limit_of_restarts() -> None:
    history = RestartHistory(RestartLimits())
    now, found = 0.0, []
    while (due := history.restart_plan(now)) is not None:
        found.append(due - now)
        now = due  # the program ends as soon as it is started
    assert found == [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]


def test_after_a_quiet_period_pauses_begin_again() -> None:
    limits = RestartLimits(first_pause_s=1, quiet_s=60)
    assert pauses([0, 1, 3, 67, 68], limits) == [1, 2, 4, 1, 2]
    assert pauses([0, 1, 3, 66, 67], limits) == [1, 2, 4, 8, 16]  # 59 s after the restart at 7


def test_restarts_are_counted_within_the_window_alone() -> None:
    limits = RestartLimits(first_pause_s=0, window_s=600, max_restarts=3)
    assert pauses([100.0 * n for n in range(4)], limits) == [0, 0, 0, None]
    assert pauses([200.0 * n for n in range(100)], limits) == [0] * 100


def test_a_program_that_is_killed_is_started_again_and_the_other_goes_on(
    program: Callable[[str, str], Program], output: Output, lines: Callable[[], list[str]]
) -> None:
    web, worker = program("web", WAIT), program("worker", WAIT)
    for each in (web, worker):
        each.start()
    first_web, first_worker = pid(web), pid(worker)
    with watched(supervisor(output, web, worker)):
        eventually(lambda: "web    | it waits" in lines())
        os.kill(first_web, signal.SIGKILL)
        eventually(lambda: lines().count("web    | it waits") == 2)
        assert pid(web) != first_web
        assert web.exit_code() is None
        assert pid(worker) == first_worker
        assert worker.exit_code() is None
    assert "system | web was ended by SIGKILL; it is started again in 0.0 s" in lines()


def test_a_program_that_ends_at_each_start_stops_all_at_the_limit(
    program: Callable[[str, str], Program], output: Output, lines: Callable[[], list[str]]
) -> None:
    web, worker = program("web", "import sys; print('no such table'); sys.exit(3)"), program("worker", WAIT)
    for each in (web, worker):
        each.start()
    with pytest.raises(SetupError) as trouble:
        supervisor(output, web, worker).watch(queue.SimpleQueue())
    assert str(trouble.value) == (
        "web ended with exit code 3. It was started again 3 times within 10 minutes, so everything was stopped. "
        "What was saved is kept; the lines above say why."
    )
    assert worker.exit_code() is None  # the caller stops it
    said = [line for line in lines() if "worker" not in line and "(process" not in line]
    assert said[:2] == ["web    | no such table", "system | web ended with exit code 3; it is started again in 0.0 s"]
    assert said.count("web    | no such table") == 4
    assert said[-2:] == ["web    | no such table", "system | web ended with exit code 3"]


def test_a_failed_start_counts_like_a_program_that_ends(
    program: Callable[[str, str], Program], output: Output, lines: Callable[[], list[str]], tmp_path: Path
) -> None:
    web = program("web", "")
    web.start()
    web.command[0] = str(tmp_path / "absent")
    with pytest.raises(SetupError, match=r"web could not be started\. It was started again 3 times"):
        supervisor(output, web).watch(queue.SimpleQueue())
    assert [line for line in lines() if "absent" in line] == [
        f"system | The system refused ({tmp_path / 'absent'}): No such file or directory."
    ] * 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_repeated_request_to_stop_ends_the_programs_too(number: signal.Signals, tmp_path: Path) -> None:
    script = """
import os, pathlib, sys
from casino.local.programs import Output, Program, programs_stop
from casino.local.supervisor import DEFAULT_LIMITS, Supervisor, stop_requests_receive
from casino.settings.waits import WAIT_S
code = '''
import os, signal, sys
def once_more(*_):
    os.kill(os.getppid(), int(sys.argv[1]))
    sys.exit()
signal.signal(signal.SIGTERM, once_more)
print("it waits", flush=True)
signal.pause()
'''
command = [sys.executable, "-c", code, sys.argv[1]]
program = Program("web", command, pathlib.Path(), dict(os.environ), Output(1, ["web"]))
requests = stop_requests_receive()
program.start()
received = Supervisor([program], limits=DEFAULT_LIMITS, say=print, clear=lambda: None).watch(requests)
programs_stop([program])
print("received", received, requests.get(timeout=WAIT_S), program.exit_code())
"""
    child = subprocess.Popen(
        [sys.executable, "-u", "-c", script, str(int(number))], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        while "it waits" not in (line := child.stdout.readline()):
            assert line, "it ended by itself"
        child.send_signal(number)
        said, _ = child.communicate(timeout=WAIT_S)
    finally:
        child.kill()
    assert said.splitlines()[-1] == f"received {int(number)} {int(number)} 0"
    assert child.returncode == 0


def test_an_unwritable_output_does_not_block_the_programs(program: Callable[[str, str], Program]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    for descriptor in (os.open("/dev/full", os.O_WRONLY), writer):
        web = program("web", "print('x' * 300_000); print('all of it')")
        web.output = Output(descriptor, ["web"])
        web.start()
        eventually(lambda web=web: web.exit_code() == 0)
        os.close(descriptor)


def test_each_line_has_its_program_s_name(output: Output, lines: Callable[[], list[str]]) -> None:
    output.write("web", "one\ntwo\n")
    output.write("system", "three")
    assert lines() == ["web    | one", "web    | two", "system | three"]


def test_processes_of_a_dead_start_or_program_are_orphans(tmp_path: Path) -> None:
    checkout = tmp_path / "my punto"
    script = """
import pathlib, subprocess, sys, os, signal
from casino.local.processes import marks
parent = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()']).wait()"
for _ in range(2):
    environment = os.environ | marks(pathlib.Path(sys.argv[1]))
    subprocess.Popen([sys.executable, "-c", parent], env=environment, start_new_session=True)
print("started", flush=True)
signal.pause()
"""
    start = subprocess.Popen([sys.executable, "-c", script, str(checkout)], cwd=ROOT, stdout=subprocess.PIPE)
    with start:
        try:
            eventually(lambda: len(marked(checkout)) == 4)
            assert orphans(checkout) == []
            assert marked(tmp_path) == orphans(tmp_path) == []

            parent = next(process for process in marked(checkout) if process.ppid() == start.pid)
            children = parent.children()
            parent.kill()
            eventually(lambda: orphans(checkout) == children)
            end(orphans(checkout))
            eventually(lambda: len(marked(checkout)) == 2)
            assert orphans(checkout) == []

            start.kill()
            eventually(lambda: len(orphans(checkout)) == 2)
            end(orphans(checkout))
            assert marked(checkout) == []
        finally:
            start.kill()
            end(marked(checkout))


def test_a_process_that_nobody_reaps_counts_as_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STOP_TIMEOUT_S", 10**6)  # a wait for such a process would never end
    script = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {WAIT!r}]).pid); {WAIT}"
    with subprocess.Popen([sys.executable, "-u", "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        waiting = threading.Thread(target=end, args=([child],), daemon=True)
        waiting.start()
        try:
            eventually(lambda: not waiting.is_alive())
            assert child.status() == psutil.STATUS_ZOMBIE
        finally:
            parent.kill()


def test_a_process_without_the_mark_of_a_start_is_no_orphan(tmp_path: Path) -> None:
    marked_only = os.environ | {processes.MARK: str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", WAIT], env=marked_only, stdout=subprocess.DEVNULL) as child:
        try:
            eventually(lambda: [process.pid for process in marked(tmp_path)] == [child.pid])
            assert orphans(tmp_path) == []
        finally:
            child.kill()


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert not psutil.pid_exists(child.pid)
    return child.pid


def test_a_lock_file_with_a_dead_process_id_is_stale(tmp_path: Path) -> None:
    lock = tmp_path / ".punto" / "run.lock"
    lock.parent.mkdir()
    lock.write_text(str(dead_pid()))
    with alone(tmp_path, "run"):
        assert lock.read_text() == str(os.getpid())


@pytest.mark.parametrize("written", ["its own", "of a dead process", "none"])
def test_a_held_lock_names_its_process(tmp_path: Path, written: str) -> None:
    script = """
import pathlib, sys
from casino.local.servers import alone
with alone(pathlib.Path(sys.argv[1]), "run") as lock:
    print("held", flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        lock = tmp_path / ".punto" / "run.lock"
        match written:
            case "of a dead process":
                lock.write_text(str(dead_pid()))
            case "none":  # it holds the lock but has not written its id yet
                lock.write_text("")
        with (
            pytest.raises(SetupError, match=rf"from this folder already \(process {holder.pid}\)"),
            alone(tmp_path, "run"),
        ):
            pytest.fail("a lock was held twice")
        assert holder.stdin is not None
        holder.stdin.close()


def test_a_lock_ends_with_its_holder_although_child_processes_go_on(tmp_path: Path) -> None:
    script = """
import os, pathlib, signal, subprocess, sys
from casino.local.programs import Output, Program
from casino.local.servers import alone
with alone(pathlib.Path(sys.argv[1]), "run"):
    command = [sys.executable, "-c", "import signal; signal.pause()"]
    program = Program("web", command, pathlib.Path(), dict(os.environ), Output(1, ["web"]))
    program.start()
    print(program._child.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    left = psutil.Process(int(done.stdout.split()[-1]))
    try:
        with alone(tmp_path, "run"):
            assert left.is_running()
    finally:
        left.kill()
