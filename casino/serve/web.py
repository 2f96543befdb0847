"""Pages and HTTP by WSGI workers, under granian."""

import argparse
from typing import Final

from granian import Granian
from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

HEADER_PATIENCE_MS: Final = 10_000
"""Milliseconds that a client has for the headers of a request."""


def serve(options: argparse.Namespace) -> None:
    """Serve until a signal ends it. A body's length is limited by `apps.core.body_limit.BodyLimitMiddleware`."""
    Granian(
        "casino.wsgi:application",
        address=options.host,
        port=options.port,
        interface=Interfaces.WSGI,
        workers=options.workers,
        blocking_threads=options.threads,
        websockets=False,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_PATIENCE_MS),
        log_level=LogLevels.warning,
    ).serve()
