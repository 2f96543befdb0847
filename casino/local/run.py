"""`make run`: starts the servers, migrates, creates the demo's data, then runs all processes until Ctrl-C."""

import os
import signal
import socket
import sys
from functools import partial
from pathlib import Path
from typing import Final

from casino.local.manage import django
from casino.local.processes import end, marked, marks, orphans
from casino.local.programs import SYSTEM, Output, Program, programs_stop
from casino.local.servers import Servers, alone, started
from casino.local.setup_error import SetupError
from casino.local.supervisor import DEFAULT_LIMITS, RestartLimits, Supervisor, stop_requests_receive

HOST: Final = "127.0.0.1"
# These warnings are expected, and the user cannot do anything about them.
QUIET: Final = "ignore::UserWarning:celery.platforms,ignore::Warning:django.core.handlers.asgi"
SEAL_FILE: Final = ".punto/seals.jsonl"
"""The seal file, in the checkout, where the worker runs."""


def run(checkout: Path, *, port: int, limits: RestartLimits = DEFAULT_LIMITS) -> int:
    """Start everything and run until a signal. Returns 0 after Ctrl-C, SIGTERM or SIGHUP. Raises SetupError."""
    end(orphans(checkout))  # remains of a killed start would hold the port
    with alone(checkout, "run"):
        # Remains of a start that was killed since the line above. This process holds the lock, so no start is running.
        end(marked(checkout))
        port_check(port)
        with started(checkout, "run", durable=True) as held:
            _prepare(checkout, held)
            _supervise(checkout, held, port, limits)
            return 0


def port_check(port: int) -> None:
    """Raise SetupError if the port is not available."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was just closed is available
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise SetupError(f"Port {port} is not open to this user. Take one above 1023: make run PORT=8080") from None
        except (OSError, OverflowError):
            raise SetupError(
                f"Port {port} is in use by another program. Stop that one, or take another: make run PORT={port + 1}"
            ) from None


def _prepare(checkout: Path, held: Servers) -> None:
    if django(checkout, held, "migrate", "--verbosity", "0", "--skip-checks", **marks(checkout)):  # `demo` makes them
        raise SetupError("The migrations failed; the lines above say why.")
    if django(checkout, held, "demo", **marks(checkout)):
        raise SetupError("The demo's data could not be created; the lines above say why.")


def _supervise(checkout: Path, held: Servers, port: int, limits: RestartLimits) -> None:
    """Watch the programs until a stop is requested. Raises SetupError if a program ends again and again."""
    environment = held.environment() | marks(checkout)
    environment |= {"DJANGO_SETTINGS_MODULE": "casino.settings.dev", "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": QUIET}
    kinds = _programs(port)
    output = Output(sys.stdout.fileno(), kinds)
    programs = [
        Program(name, [sys.executable, "-m", *words], checkout, environment | extra, output)
        for name, (words, extra) in kinds.items()
    ]
    supervisor = Supervisor(
        [*held.embedded(), *programs],
        limits=limits,
        say=partial(output.write, SYSTEM),
        clear=lambda: end(orphans(checkout)),
    )
    print(f"\nPunto is at http://{HOST}:{port}/ (pages and sockets). Ctrl-C stops it; the data stays.\n", flush=True)
    stop_requests = stop_requests_receive()
    try:
        for program in programs:
            program.start()
        received = supervisor.watch(stop_requests)
        output.write(SYSTEM, f"{signal.Signals(received).name} received; everything stops")
    finally:
        programs_stop(programs)
        end(marked(checkout))  # empty, unless one of them left a child process


def _programs(port: int) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return the programs by name: the module with its arguments, and additions to the common environment."""
    web = ["casino.serve", "web", "--with-sockets", "--host", HOST, "--port", str(port)]
    seals = {"PUNTO_SEAL_FILE": os.environ.get("PUNTO_SEAL_FILE", SEAL_FILE)}
    return {
        # Threads are short-lived under ASGI, and would not reuse a connection of their own, so the process has a pool.
        "web": (web, {"PUNTO_DB_POOL": "1"}),
        "worker": (["casino.serve", "worker", "--concurrency", "1"], seals),
        "beat": (["casino.serve", "beat", "--schedule", ".punto/beat", "--log-level", "WARNING"], {}),
        "bots": (["django", "table_bots", "--server", f"http://{HOST}:{port}"], {}),
    }
