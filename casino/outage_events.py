"""Records as significant events that this process was not ready, or counted limits without Redis, for a minute.

The readiness probe reports its findings. While PostgreSQL is unavailable nothing can be recorded; a later probe records
it. apps/core/database_errors.py has the answer to a bet in an outage; docs/operations.md, "Health", describes the
service without Redis.
"""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

import structlog
from django.db import Error, transaction
from django.utils import timezone

from apps.events.models import EventKind
from apps.events.services import event_record
from apps.events.thresholds import UNAVAILABLE_S, threshold_value


class _Watched(NamedTuple):
    """A watched part, and the text of its outage."""

    kind: EventKind
    component: str
    reason: str


NOT_READY: Final = _Watched(EventKind.UNAVAILABLE, "web", "the process was not ready")
NO_LIMITER: Final = _Watched(EventKind.UNUSUAL, "rate limits", "Redis was away: nothing was limited over all processes")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Outage:
    since: datetime
    failed: frozenset[str]
    """The checks of the probe that failed in it."""


class Outages:
    """The outages that this process has noticed, with their beginnings. Thread-safe: an outage is recorded once."""

    def __init__(self) -> None:
        self._outages: dict[_Watched, _Outage] = {}

    def note(self, checks: Mapping[str, bool]) -> None:
        """Note whether each check of the readiness probe has passed. Commits by itself."""
        failed = frozenset(name for name, passes in checks.items() if not passes)
        for watched, failed_here in ((NOT_READY, failed), (NO_LIMITER, failed & {"redis"})):
            outage = self._outages.get(watched)
            if failed_here:
                before = outage or _Outage(timezone.now(), frozenset())
                outage = self._outages[watched] = _Outage(before.since, before.failed | failed_here)
            if outage is not None and _record(watched, outage) and not failed_here:
                self._outages.pop(watched, None)


def _record(watched: _Watched, outage: _Outage) -> bool:
    """Record an outage if it is long enough, once; return False if that has to be tried again."""
    lasted_s = (timezone.now() - outage.since).total_seconds()
    try:
        with transaction.atomic():
            if lasted_s >= threshold_value(UNAVAILABLE_S):
                process = f"process {os.getpid()} on {socket.gethostname()}"
                event_record(
                    kind=watched.kind,
                    component=watched.component,
                    subject=process[:160],
                    reason=watched.reason,
                    after={
                        "since": outage.since.astimezone(UTC),
                        "failed": sorted(outage.failed),
                    },
                    once=f"{watched.component} {process} {outage.since:%Y-%m-%d %H:%M:%S}"[:160],
                )
    except Error as error:
        log.warning("outage_not_recorded", component=watched.component, error=type(error).__name__)
        return False
    return True


outages: Final = Outages()
