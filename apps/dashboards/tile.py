"""One figure of the first page."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

RECENT_DAYS: Final = 7
"""The days of "in 7 days", the last of them today: those of the list that the tile leads to."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure. `tone` is `good`, `bad` or empty."""

    label: str
    value: str
    note: str
    url: str
    tone: str = ""


def span_text(span: timedelta) -> str:
    """Return a span of time in its largest fitting unit: `3 h`."""
    seconds = max(int(span.total_seconds()), 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def recent_since(now: datetime) -> datetime:
    """Return when the first of the recent days began, in UTC."""
    return datetime.combine(now.astimezone(UTC).date() - timedelta(days=RECENT_DAYS - 1), time(), UTC)
