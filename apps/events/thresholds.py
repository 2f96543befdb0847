"""The thresholds of events: the newest row of each, or the default (docs/operations.md, "Significant events").

Failed log-ins and refused keys are counted by `apps.events.authentication_failures`, clocks and gaps are measured by
`apps.events.watch`, and large plays are found by `apps.statistics.large_plays`. An RTP alarm is an event too;
`apps.evidence.rtp_watch` decides when it is raised. Operators change thresholds by `apps.office.threshold_changes`.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from apps.events.models import EventKind, EventThreshold


class ThresholdMeasure(NamedTuple):
    """The measures that thresholds are compared with."""

    kind: EventKind
    name: str


LOG_IN: Final = ThresholdMeasure(EventKind.LOGIN_FAILED, "log-in")
ADDRESS: Final = ThresholdMeasure(EventKind.LOGIN_FAILED, "address")
KEYS: Final = ThresholdMeasure(EventKind.AUTHENTICATION_MISMATCH, "refused keys")
UNAVAILABLE_S: Final = ThresholdMeasure(EventKind.UNAVAILABLE, "seconds")
WIN: Final = ThresholdMeasure(EventKind.LARGE_WIN, "amount")
WIN_STAKES: Final = ThresholdMeasure(EventKind.LARGE_WIN, "stakes")
WIN_DAY: Final = ThresholdMeasure(EventKind.LARGE_WIN, "player and day")
WAGER: Final = ThresholdMeasure(EventKind.LARGE_WAGER, "amount")
WAGER_DAY: Final = ThresholdMeasure(EventKind.LARGE_WAGER, "player and day")
CLOCK_S: Final = ThresholdMeasure(EventKind.CLOCK_CHANGED, "seconds apart")
STEP_S: Final = ThresholdMeasure(EventKind.CLOCK_CHANGED, "step in seconds")
TRANSFER: Final = ThresholdMeasure(EventKind.ACCOUNT_CHANGED, "transfer")

DEFAULTS: Final = {
    LOG_IN: Decimal(3),
    ADDRESS: Decimal(20),
    KEYS: Decimal(10),
    UNAVAILABLE_S: Decimal(60),
    WIN: Decimal(10_000),
    WIN_STAKES: Decimal(500),
    WIN_DAY: Decimal(50_000),
    WAGER: Decimal(5_000),
    WAGER_DAY: Decimal(50_000),
    CLOCK_S: Decimal(1),
    STEP_S: Decimal(5),
    TRANSFER: Decimal(10_000),
}
"""Amounts are in units of the currency, all others are numbers or seconds."""

COUNTS: Final = frozenset({LOG_IN, ADDRESS, KEYS})
"""The measures that are whole numbers."""

OF_MONEY: Final = frozenset({WIN, WIN_DAY, WAGER, WAGER_DAY, TRANSFER})
"""The measures that may differ by currency."""


def thresholds_by_currency(measure: ThresholdMeasure, currencies: Sequence[str]) -> list[Decimal]:
    """Return the threshold of each currency, in their order."""
    newest = _newest(measure)
    return [newest.get(code, newest.get("", DEFAULTS[measure])) for code in currencies]


def threshold_value(measure: ThresholdMeasure, *, currency: str = "") -> Decimal:
    """Return the threshold that applies now: the currency's own, or that of all currencies, or the default."""
    return thresholds_by_currency(measure, [currency])[0]


def _newest(measure: ThresholdMeasure) -> dict[str, Decimal]:
    rows = EventThreshold.objects.filter(kind=measure.kind, measure=measure.name)
    return dict(rows.order_by("id").values_list("currency", "value"))
