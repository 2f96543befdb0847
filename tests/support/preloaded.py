"""A server that stands again at once after it was killed: Django is read once, each server is a fork of that.

`python -m tests.support.preloaded <port> <file for the server's process id>`
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

import uvicorn

from casino.asgi import application

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that comes about."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(port: int, pid_file: Path) -> None:
    """Serve until this process ends; a server that was killed is forked anew."""
    while True:
        pid = os.fork()
        if pid == 0:
            die_with_parent()
            uvicorn.run(application, host="127.0.0.1", port=port, access_log=False, log_config=None)
            return
        pid_file.write_text(str(pid))
        os.waitpid(pid, 0)


if __name__ == "__main__":
    die_with_parent()
    main(int(sys.argv[1]), Path(sys.argv[2]))
