"""Finding and ending what an earlier start of this checkout left running, and nothing else."""

import contextlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

import psutil

STOP_TIMEOUT_S = 20


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


def marked(name: str, value: str) -> list[psutil.Process]:
    """Return the processes that carry `name=value` in their environment: ours, from a start that was killed."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(name) == value:
                found.append(process)
    return found


def end(processes: Iterable[psutil.Process]) -> None:
    """Ask these processes to stop, then make them."""
    asked = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
            asked.append(process)
    _, alive = psutil.wait_procs(asked, timeout=STOP_TIMEOUT_S)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=STOP_TIMEOUT_S)


def wait_or_kill(child: subprocess.Popen[bytes], timeout_s: float = STOP_TIMEOUT_S) -> None:
    """Wait for a child that was told to stop; past the time it is killed."""
    try:
        child.wait(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
