"""The start and the stop of a server process: the check of the build, and the significant events of both.

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
from django.conf import settings
from django.db import Error, connections, transaction

from apps.build.manifest import has_manifest

log = structlog.get_logger(__name__)


@contextmanager
def lifetime(kind: str) -> Iterator[None]:
    """Run a server in the block, between the events of its start and of its stop.

    uvicorn sends itself the signal again that ended it, so the process would end before the second event.
    """
    django.setup()
    gc.freeze()  # what has been imported stays, so it is never looked through
    gc.enable()
    signal.signal(signal.SIGTERM, _end)
    process_tell(kind, "start")
    try:
        yield
    finally:
        process_tell(kind, "stop")


def build_check_at_start(kind: str) -> None:
    """Check files and database against the manifest, if this build has one.

    Raises SystemExit if it differs and `PUNTO_STRICT_BUILD` is set. Without a manifest it does not set Django up: a
    worker does so again in Celery's program, which replaces this process.
    """
    if not has_manifest():
        return
    django.setup()
    from apps.build.models import CheckScope  # noqa: PLC0415 - Django is set up only now
    from apps.build.services import build_check  # noqa: PLC0415

    try:
        check = build_check(scope=CheckScope.START, by=f"start of {kind}")
    except Error as error:
        log.warning("build_not_checked", process=kind, error=type(error).__name__)
        if settings.PUNTO_STRICT_BUILD:
            raise SystemExit("The build could not be checked, and PUNTO_STRICT_BUILD is set.") from error
        return
    finally:
        connections.close_all()
    if check.found:
        log.error("build_differs", process=kind, found=check.found, first=check.differences[0])
        if settings.PUNTO_STRICT_BUILD:
            raise SystemExit(f"The build differs from its manifest: {check.differences[0]}")


def process_tell(kind: str, what: str) -> None:
    """Record that a process of this kind does this. Without the database it is a line of the log alone."""
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
