"""The tiles of today's play beside the same hours of the same weekday a week ago, for each currency."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.urls import reverse

from apps.core.money import amount_text
from apps.core.staff_scope import Viewer
from apps.dashboards.day_sums import PlaySum, day_rows, hour_rows, players_by_day, sums_by_currency
from apps.dashboards.tile import Tile
from apps.statistics.models import FoldState

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Compared:
    """One currency's play of today so far, and what it is compared with.

    Hours that are not over are in no comparison. Before the first one is over, and with a day of which no hours were
    kept, there is none but with the whole day.
    """

    so_far: PlaySum
    former_day: PlaySum
    hours: int = 0
    """The hours of today that are over and in the statistics."""
    until_then: PlaySum | None = None
    former_until_then: PlaySum | None = None

    def note(self, value: str) -> str:
        """Return the comparison of a sum: the change in percent, and what it was a week ago."""
        if self.until_then is None or self.former_until_then is None:
            return f"a week ago {self._amount(self.former_day, value)} in the whole day"
        now, former = (getattr(each, value) for each in (self.until_then, self.former_until_then))
        told = self._amount(self.former_until_then, value)
        if not former:
            return f"a week ago {told} by {self.hours:02}:00 UTC"
        change = (100 * (now - former) / abs(former)).quantize(Decimal(1))
        return f"{change:+} % to {told} a week ago, both by {self.hours:02}:00 UTC"

    def hold_note(self) -> str:
        """Return the hold of a week ago."""
        if self.former_until_then is None:
            return f"a week ago {pct_text(self.former_day.hold_pct)} in the whole day"
        return f"a week ago {pct_text(self.former_until_then.hold_pct)} by {self.hours:02}:00 UTC"

    def _amount(self, one: PlaySum, value: str) -> str:
        return amount_text(getattr(one, value), one.currency)


def play_tiles(viewer: Viewer, now: datetime) -> Iterator[Tile]:
    """Yield GGR, turnover, hold and players of each currency. Each leads to the report of its rows."""
    today = now.astimezone(UTC).date()
    asked = urlencode({"length": "day", "until": today.isoformat(), "zone": "UTC"})
    summary, players = (f"{reverse('admin:report', args=[name])}?{asked}" for name in ("summary", "players"))
    played = players_by_day(viewer, since=today, until=today)
    played_before = players_by_day(viewer, since=today - WEEK, until=today - WEEK)
    for code, one in _compared(viewer, today).items():
        so_far = one.so_far
        tone = "bad" if so_far.ggr < 0 else ""
        amounts = (amount_text(each, so_far.currency) for each in (so_far.ggr, so_far.stakes))
        yield Tile(f"GGR today, {code}", next(amounts), one.note("ggr"), summary, tone)
        yield Tile(f"Turnover today, {code}", next(amounts), one.note("stakes"), summary)
        yield Tile(f"Hold today, {code}", pct_text(so_far.hold_pct), one.hold_note(), summary)
        was = played_before.get((today - WEEK, code), 0)
        yield Tile(
            f"Players today, {code}",
            str(played.get((today, code), 0)),
            f"a week ago {was} in the whole day",
            players,
        )


def pct_text(value: Decimal | None) -> str:
    """Return a percentage, or a dash."""
    return "-" if value is None else f"{value} %"


def _compared(viewer: Viewer, today: date) -> dict[str, Compared]:
    """Return by currency what was played today and a week ago."""
    of_today = sums_by_currency(day_rows(viewer, since=today, until=today))
    before = sums_by_currency(day_rows(viewer, since=today - WEEK, until=today - WEEK))
    hours = _hours_over(today)
    until_then, former_until_then = (
        sums_by_currency(hour_rows(viewer, since=day, until=day).filter(hour__lt=hours)) if hours else {}
        for day in (today, today - WEEK)
    )
    has_hours = bool(hours) and (not before or hour_rows(viewer, since=today - WEEK, until=today - WEEK).exists())
    found = {}
    for code in sorted({*of_today, *before}):
        currency = (of_today.get(code) or before[code]).currency
        nothing = PlaySum(currency)
        so_far, former_day = of_today.get(code, nothing), before.get(code, nothing)
        if has_hours:
            found[code] = Compared(
                so_far, former_day, hours, until_then.get(code, nothing), former_until_then.get(code, nothing)
            )
        else:
            found[code] = Compared(so_far, former_day)
    return found


def _hours_over(today: date) -> int:
    """Return how many hours of the day in UTC are over and in the statistics."""
    edge = FoldState.objects.values_list("edge", flat=True).first()
    if edge is None or edge.astimezone(UTC).date() != today:
        return 0
    return edge.astimezone(UTC).hour
