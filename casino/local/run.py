"""`make run`: the servers, the tables, the demo's data, then web, worker and beat until Ctrl-C."""

import multiprocessing
import os
import shlex
import signal
import socket
import sys
from pathlib import Path
from typing import Final

from honcho.manager import Manager
from honcho.printer import Printer

from casino.local.manage import django
from casino.local.processes import end, marked
from casino.local.servers import Servers, alone, started
from casino.local.trouble import Trouble

HOST: Final = "127.0.0.1"
MARK: Final = "PUNTO_RUN_OF"
"""Stands in the environment of what `run` starts, with the checkout: so the next start knows what a killed one left."""
# Known, and nothing the user can act on: root's worker is root here, and static files are streamed from plain files.
QUIET: Final = "ignore::UserWarning:celery.platforms,ignore::Warning:django.core.handlers.asgi"
SEAL_FILE: Final = ".punto/seals.jsonl"
"""The copy of the ledger's seals outside the database; under the checkout, where the worker runs."""
STOPPED_BY_SIGNAL: Final = frozenset({130, 143})


def run(checkout: Path, *, port: int) -> int:
    """Start everything and stay until it is stopped. Returns 0 after Ctrl-C. Raises Trouble."""
    with alone(checkout, "run"):
        end(marked(MARK, str(checkout)))  # the lock is ours: whatever carries the mark was left by a killed start
        port_check(port)
        with started(checkout, "run", durable=True) as held:
            _prepare(checkout, held)
            return _supervise(checkout, held, port)


def port_check(port: int) -> None:
    """Raise Trouble where the port cannot be had."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one that was just closed is free
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise Trouble(f"Port {port} is not open to this user. Take one above 1023: make run PORT=8080") from None
        except (OSError, OverflowError):
            raise Trouble(
                f"Port {port} is in use by another program. Stop that one, or take another: make run PORT={port + 1}"
            ) from None


def _prepare(checkout: Path, held: Servers) -> None:
    if django(checkout, held, "migrate", "--verbosity", "0"):
        raise Trouble("The tables could not be brought up to date; the lines above say why.")
    if django(checkout, held, "demo"):
        raise Trouble("The demo's data could not be made; the lines above say why.")


def _supervise(checkout: Path, held: Servers, port: int) -> int:
    environment = {
        "DJANGO_SETTINGS_MODULE": "casino.settings.dev",
        MARK: str(checkout),
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": QUIET,
    }
    environment = held.environment() | environment
    multiprocessing.set_start_method("fork", force=True)  # honcho's processes cannot be pickled
    manager = Manager(Printer(sys.stdout))
    for name, (words, extra) in _programs(port).items():
        manager.add_process(
            name, "exec " + shlex.join([sys.executable, "-m", *words]), env=environment | extra, cwd=str(checkout)
        )
    print(f"\nPunto is at http://{HOST}:{port}/ (pages and sockets). Ctrl-C stops it; the data stays.\n", flush=True)
    held.watch(
        say=lambda line: print(line, file=sys.stderr, flush=True), give_up=lambda: os.kill(os.getpid(), signal.SIGTERM)
    )
    try:
        manager.loop()
    finally:
        end(marked(MARK, str(checkout)))  # nobody, unless the signal came while they were being started
    if manager.returncode in STOPPED_BY_SIGNAL:
        return 0
    raise Trouble("One of the programs ended by itself, so all were stopped; its lines above say why.")


def _programs(port: int) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return what runs, by name: the module with its arguments, and what its environment has beside the common one."""
    web = ["daphne", "--bind", HOST, "--port", str(port), "--verbosity", "0", "casino.asgi:application"]
    celery = ["celery", "--app", "casino.celery", "--quiet"]
    seals = {"PUNTO_SEAL_FILE": os.environ.get("PUNTO_SEAL_FILE", SEAL_FILE)}
    return {
        # Threads come and go under ASGI: a connection each would never be used twice, so the process has a pool.
        "web": (web, {"PUNTO_DB_POOL": "1"}),
        "worker": ([*celery, "worker", "--concurrency", "1", "--loglevel", "INFO"], seals),
        "beat": ([*celery, "beat", "--schedule", ".punto/beat", "--pidfile", "", "--loglevel", "WARNING"], {}),
    }
