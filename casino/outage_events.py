"""Records as significant events that this process was not ready, or counted limits without Redis, for a minute.

The readiness probe tells what it has found. While PostgreSQL is away nothing can be recorded; a later probe does it.
What a bet gets in an outage is in apps/core/database.py; docs/operations.md, "Health", says what goes on without Redis.
"""

import os
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import structlog
from django.db import Error, transaction
from django.utils import timezone

from apps.events.models import EventKind
from apps.events.services import event_record
from apps.events.thresholds import UNAVAILABLE_S, threshold_value


class _Watched(NamedTuple):
    """What is watched, and how its outage is told."""

    kind: EventKind
    component: str
    reason: str


NOT_READY: Final = _Watched(EventKind.UNAVAILABLE, "web", "the process was not ready")
NO_LIMITER: Final = _Watched(EventKind.UNUSUAL, "rate limits", "Redis was away: processes counted their limits alone")

log = structlog.get_logger(__name__)


class Outages:
    """Since when something has been away in this process."""

    def __init__(self) -> None:
        self._since: dict[_Watched, datetime] = {}

    def note(self, checks: Mapping[str, bool]) -> None:
        """Note whether each check of the readiness probe has passed. Commits by itself."""
        for watched, is_away in ((NOT_READY, not all(checks.values())), (NO_LIMITER, not checks["redis"])):
            if is_away:
                self._since.setdefault(watched, timezone.now())
            if watched in self._since and _record(watched, self._since[watched], checks) and not is_away:
                self._since.pop(watched, None)


def _record(watched: _Watched, since: datetime, checks: Mapping[str, bool]) -> bool:
    """Record an outage if it is long enough, once; return False if that has to be tried again."""
    lasted_s = (timezone.now() - since).total_seconds()
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
                        "since": since.astimezone(UTC),
                        "failed": sorted(name for name, passes in checks.items() if not passes),
                    },
                    once=f"{watched.component} {process} {since:%Y-%m-%d %H:%M:%S}"[:160],
                )
    except Error as error:
        log.warning("outage_not_recorded", component=watched.component, error=type(error).__name__)
        return False
    return True


outages: Final = Outages()
