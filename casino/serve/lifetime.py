"""The start and the stop of a server process: the checks of the build and of PUNTO_SEED_KEY, and the significant
events of both.

The servers close open connections themselves; casino/serve/sockets.py says how sockets are closed.
"""

import gc
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import django
import structlog
from django.db import Error, connections, transaction

log = structlog.get_logger(__name__)


@contextmanager
def lifetime(kind: str) -> Iterator[None]:
    """Run a server in the block, between the events of its start and of its stop.

    uvicorn sends itself its ending signal again, so without `_end` the process would end before the second event.
    """
    django.setup()
    from apps.build.build_start_check import build_start_check  # noqa: PLC0415 - Django is set up only now
    from apps.fairness.seed_key_start_check import seed_key_start_check  # noqa: PLC0415

    build_start_check(kind)
    seed_key_start_check(kind)
    gc.freeze()  # imported modules stay, so the collector ignores them
    gc.enable()
    signal.signal(signal.SIGTERM, _end)
    process_event_record(kind, "start")
    try:
        yield
    finally:
        process_event_record(kind, "stop")


def process_event_record(kind: str, what: str) -> None:
    """Record a start, drain or stop of a process of this kind. Without the database only the log has it."""
    from apps.events.models import EventKind  # noqa: PLC0415 - Django is set up by the caller
    from apps.events.services import event_record  # noqa: PLC0415

    try:
        with transaction.atomic():
            event_record(
                kind=EventKind.UNAVAILABLE,
                component=kind,
                subject=f"{kind} on {socket.gethostname()}"[:160],
                reason=what,
            )
    except Error as error:
        log.warning("event_not_recorded", what=what, process=kind, error=type(error).__name__)
    finally:
        connections.close_all()


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
