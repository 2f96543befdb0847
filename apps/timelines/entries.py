"""A timeline: the history of one row, from several tables, in one order, page by page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

PAGE_ENTRIES: Final = 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a timeline. `url` is the page about it, or empty."""

    time: datetime
    kind: str
    text: str
    by: str = ""
    reason: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Entries, newest first, and the start time of the next page; None on the last page."""

    entries: Sequence[Entry]
    older_until: datetime | None


Source = Callable[[datetime, int], Iterable[Entry]]
"""Returns at most this number of entries up to a time, the newest ones.

Rows are numbered when they are written, and timed by the start of their transaction: the two may disagree.
"""


def timeline_page(sources: Sequence[Source], *, until: datetime, size: int = PAGE_ENTRIES) -> TimelinePage:
    """Return the newest entries of all sources up to `until`.

    Entries of one transaction have one time. A page ends between two times, so that no entry is lost.
    """
    found = sorted((entry for source in sources for entry in source(until, size + 1)), key=_newest_first)
    if len(found) <= size:
        return TimelinePage(found, None)
    cut = found[size].time
    shown = [entry for entry in found if entry.time > cut]
    if shown:
        return TimelinePage(shown, cut)
    return TimelinePage([entry for entry in found if entry.time == cut], cut - timedelta(microseconds=1))


def _newest_first(entry: Entry) -> float:
    return -entry.time.timestamp()
