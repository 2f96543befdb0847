"""Start one process of the product, with its limits: `python -m casino.serve web|sockets|worker|beat`."""

import argparse
import gc
import os
import sys
from importlib import import_module
from typing import Final

from casino.env import CLIENT_TIMEOUT_S

WITH_SOCKETS: Final = "web --with-sockets"
MODULES: Final = {
    "web": "casino.serve.web",
    WITH_SOCKETS: "casino.serve.embedded",
    "sockets": "casino.serve.sockets",
    "worker": "casino.serve.work",
    "beat": "casino.serve.work",
}


def main(arguments: list[str]) -> int:
    """Run one process until it ends. It does not import the servers of the other kinds."""
    gc.disable()  # an import leaves hardly any garbage, and looking for it would take a sixth of the start
    options = parser().parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")
    kind = WITH_SOCKETS if getattr(options, "with_sockets", False) else options.kind
    is_server = kind not in {"worker", "beat"}
    if is_server:  # a task may take any time
        os.environ.setdefault("PUNTO_DB_CLIENT_TIMEOUT_S", str(CLIENT_TIMEOUT_S))
    module = import_module(MODULES[kind])  # before Django's set-up: daphne chooses the event loop
    if not is_server:
        module.serve(options)  # Celery replaces this process; casino/celery.py does there what `lifetime` does here
        return 0
    with import_module("casino.serve.lifetime").lifetime(options.kind):
        module.serve(options)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m casino.serve", description=__doc__, allow_abbrev=False)
    kinds = parser.add_subparsers(dest="kind", required=True)
    web = kinds.add_parser("web", help="pages and HTTP, by WSGI workers (granian)", allow_abbrev=False)
    _address(web, 8000)
    web.add_argument("--workers", type=int, default=2)
    web.add_argument("--threads", type=int, default=4, help="threads of each worker")
    web.add_argument(
        "--with-sockets", action="store_true", help="instead: pages and sockets by one process on one port (daphne)"
    )
    sockets = kinds.add_parser("sockets", help="sockets, and bets (uvicorn)", allow_abbrev=False)
    _address(sockets, 8001)
    sockets.add_argument(
        "--application", default="casino.asgi:application", help="another application, for measurements"
    )
    worker = kinds.add_parser("worker", help="scheduled and queued work (Celery)", allow_abbrev=False)
    worker.add_argument("--log-level", default="INFO")
    worker.add_argument("--concurrency", type=int, default=2)
    beat = kinds.add_parser("beat", help="sends scheduled tasks; exactly one runs (Celery)", allow_abbrev=False)
    beat.add_argument("--log-level", default="INFO")
    beat.add_argument("--schedule", default="beat", help="state file with the time of each task's last run")
    return parser


def _address(parser: argparse.ArgumentParser, port: int) -> None:
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=port)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
