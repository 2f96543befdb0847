"""Finding and ending what an earlier start of this checkout left running, and nothing else."""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

STOP_TIMEOUT_S = 20
MARK = "PUNTO_RUN_OF"
"""Stands in the environment of what `run` starts, with the checkout: so the next start knows what a killed one left."""
SUPERVISOR = "PUNTO_RUN_BY"
"""Stands beside it, with the process id of that `run`."""


def running(pid: int, *, program: str, folder: Path) -> psutil.Process | None:
    """Return the process if it is this program started for this folder: process ids are used again."""
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except psutil.Error:
        return None
    if words and Path(words[0]).name == program and any(str(folder) in word for word in words):
        return process
    return None


def marks(checkout: Path) -> dict[str, str]:
    """Return what stands in the environment of each process that this one starts for `run`."""
    return {MARK: str(checkout), SUPERVISOR: str(os.getpid())}


def marked(checkout: Path) -> list[psutil.Process]:
    """Return the processes that a `run` of this checkout started, whether that `run` lives or not."""
    return [process for process, _ in _marked(checkout)]


def orphans(checkout: Path) -> list[psutil.Process]:
    """Return those of them that are no longer under the `run` that started them: it died, or their own parent did.

    The ancestors tell, and not whether the `run`'s process id is in use: it may be another process's by now. A process
    that names no `run` is not among them: an earlier version of `run` started it, and may live.
    """
    found = []
    for process, supervisor in _marked(checkout):
        with contextlib.suppress(psutil.Error):
            if supervisor and supervisor not in {str(ancestor.pid) for ancestor in process.parents()}:
                found.append(process)
    return found


def holders(file: Path) -> list[int]:
    """Return the ids of the other processes that have this file open, as far as we may see."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and any(opened.path == str(file) for opened in process.open_files()):
                found.append(process.pid)
    return found


def end(processes: Iterable[psutil.Process]) -> None:
    """Ask these processes to stop, then make them."""
    asked = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
            asked.append(process)
    alive = _end_await(asked)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _end_await(alive)


def wait_or_kill(child: subprocess.Popen[bytes], timeout_s: float = STOP_TIMEOUT_S) -> None:
    """Wait for a child that was told to stop; past the time it is killed."""
    try:
        child.wait(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _end_await(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Wait for the end of these processes; return those that live on.

    `psutil.wait_procs` waits for a zombie too: an orphan is one until process 1 reaps it, and in many containers
    process 1 never does.
    """
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while (alive := [process for process in processes if _lives(process)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return alive


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _marked(checkout: Path) -> list[tuple[psutil.Process, str]]:
    """Return each marked process with the process id of its `run`, as text."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            environment = process.environ()
            if environment.get(MARK) == str(checkout):
                found.append((process, environment.get(SUPERVISOR, "")))
    return found
