"""Finds and ends processes that an earlier start of this checkout left behind, and no others."""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

STOP_TIMEOUT_S = 20
MARK = "PUNTO_RUN_OF"
"""Environment variable of each process that `run` starts, with the checkout as value. The next start finds the remains
by it."""
SUPERVISOR = "PUNTO_RUN_BY"
"""A second variable, with the process id of the `run`."""


def running(pid: int, *, program: str, folder: Path) -> psutil.Process | None:
    """Return the process if it is this program for this folder, since process ids are reused."""
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except psutil.Error:
        return None
    if words and Path(words[0]).name == program and any(str(folder) in word for word in words):
        return process
    return None


def marks(checkout: Path) -> dict[str, str]:
    """Return the environment variables that mark each process started by this `run`."""
    return {MARK: str(checkout), SUPERVISOR: str(os.getpid())}


def marked(checkout: Path) -> list[psutil.Process]:
    """Return the processes that any `run` of this checkout started, even if that `run` has ended."""
    return [process for process, _ in _marked(checkout)]


def orphans(checkout: Path) -> list[psutil.Process]:
    """Return the marked processes whose `run` is no longer an ancestor: the `run` has ended, or their own parent has.

    The process id of the `run` alone does not decide, since another process may have it now. A process without the
    second mark is left out: an earlier version of `run` started it and may still run.
    """
    found = []
    for process, supervisor in _marked(checkout):
        with contextlib.suppress(psutil.Error):
            if supervisor and supervisor not in {str(ancestor.pid) for ancestor in process.parents()}:
                found.append(process)
    return found


def holders(file: Path) -> list[int]:
    """Return the ids of the other processes that have this file open, as far as permissions show them."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and any(opened.path == str(file) for opened in process.open_files()):
                found.append(process.pid)
    return found


def end(processes: Iterable[psutil.Process]) -> None:
    """Terminate these processes, then kill those that remain."""
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


def wait_or_kill(child: subprocess.Popen[bytes]) -> None:
    """Wait for a child that was asked to stop; kill it after the timeout."""
    try:
        child.wait(timeout=STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _end_await(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Wait for the end of these processes; return those that still run.

    `psutil.wait_procs` would wait for zombies too. An orphan is a zombie until process 1 reaps it, which in many
    containers never happens.
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
    """Return each marked process with the process id of its `run` as text."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            environment = process.environ()
            if environment.get(MARK) == str(checkout):
                found.append((process, environment.get(SUPERVISOR, "")))
    return found
