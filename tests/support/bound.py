"""A program that ends with the one that started it: `python -m tests.support.bound -m casino.serve ...`."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that comes about."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    die_with_parent()  # it holds for the program that takes this one's place
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
