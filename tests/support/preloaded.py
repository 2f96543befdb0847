"""A server that is replaced at once after a kill: Django is imported once, and each server is a fork.

`python -m tests.support.preloaded <port> <file for the server's process id>`. While the file `rest` stands beside it, a
killed server is replaced only after a line on standard input. Static files come from memory.
"""

import gc
import os
import sys
from pathlib import Path

gc.disable()  # as `casino.serve` does it

from casino.asgi import application  # noqa: E402
from casino.serve.sockets import server  # noqa: E402
from tests.support.bound import die_with_parent  # noqa: E402
from tests.support.static_files import StaticFiles  # noqa: E402

REST = "rest"


def main(port: int, pid_file: Path) -> None:
    """Serve until this process ends; a killed server is forked again."""
    gc.enable()
    gc.freeze()  # servers look for garbage in what they make themselves, and share the pages of all else
    while True:
        pid = os.fork()
        if pid == 0:
            die_with_parent()
            server(StaticFiles(application), host="127.0.0.1", port=port).run()
            return
        pid_file.write_text(str(pid))
        os.waitpid(pid, 0)
        if pid_file.with_name(REST).exists():
            pid_file.write_text("0")
            sys.stdin.readline()


if __name__ == "__main__":
    die_with_parent()
    main(int(sys.argv[1]), Path(sys.argv[2]))
