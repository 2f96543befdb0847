"""The days of a report, in UTC or in a partner's own time zone."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import Final
from zoneinfo import ZoneInfo

UTC_NAME: Final = "UTC"


class Length(Enum):
    """The length of a report's period."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days from `first` to `last`, both included, in a time zone."""

    first: date
    last: date
    zone: str = UTC_NAME

    @property
    def since(self) -> datetime:
        """The moment that the first day begins."""
        return datetime.combine(self.first, time(), ZoneInfo(self.zone))

    @property
    def until(self) -> datetime:
        """The moment after the last day."""
        return datetime.combine(self.last + timedelta(days=1), time(), ZoneInfo(self.zone))

    def __str__(self) -> str:
        days = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"
        return f"{days} ({self.zone})"

    def whole_months(self) -> list[tuple[date, date]]:
        """Return the first and last day of each month that is wholly inside."""
        months = []
        begin = self.first if self.first.day == 1 else _month_after(self.first)
        while (end := _month_after(begin) - timedelta(days=1)) <= self.last:
            months.append((begin, end))
            begin = end + timedelta(days=1)
        return months


def period_to_date(length: Length, day: date, zone: str) -> Period:
    """Return the day, or its month or year up to it."""
    match length:
        case Length.MONTH:
            return Period(day.replace(day=1), day, zone)
        case Length.YEAR:
            return Period(day.replace(month=1, day=1), day, zone)
        case _:
            return Period(day, day, zone)


def _month_after(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
