"""Presets of date ranges, such as today and this month, in UTC."""

from datetime import date, timedelta
from typing import NamedTuple


class DayPreset(NamedTuple):
    """A named span of days, both included."""

    label: str
    first: date
    last: date


def day_presets(today: date) -> list[DayPreset]:
    """Return the spans, the shortest first."""
    yesterday = today - timedelta(days=1)
    month = today.replace(day=1)
    before = month - timedelta(days=1)
    return [
        DayPreset("Today", today, today),
        DayPreset("Yesterday", yesterday, yesterday),
        DayPreset("7 days", today - timedelta(days=6), today),
        DayPreset("30 days", today - timedelta(days=29), today),
        DayPreset("This month", month, today),
        DayPreset("Last month", before.replace(day=1), before),
    ]
