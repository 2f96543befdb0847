"""Runs a program that ends with its parent: `python -m tests.support.bound -m casino.serve ...`."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent ends for any reason."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    die_with_parent()  # the setting survives exec
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
