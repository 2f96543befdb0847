"""The thresholds of the watch over the published RTPs, without rounds."""

import pytest

from apps.evidence.models import Measure, Slice
from apps.evidence.rtp_watch import SliceKey, SliceState, Watched
from apps.evidence.services import _reached


@pytest.mark.parametrize(
    ("evidence", "restarted", "measures"),
    [
        (9.99, 19.99, []),
        (10.0, None, [Measure.EVIDENCE]),
        (9.99, 20.0, [Measure.RESTARTED]),
        (10.0, 20.0, [Measure.EVIDENCE, Measure.RESTARTED]),
    ],
)
def test_evidence_is_an_alarm_from_its_threshold_on(
    evidence: float, restarted: float | None, measures: list[Measure]
) -> None:
    watched = Watched(
        key=SliceKey("a game", "a bet", "a law", False, Slice.ALL, ""), state=SliceState(), evidence=evidence,
        restarted=restarted, evidence_alarm=10.0, restarted_alarm=20.0,
    )  # fmt: skip
    assert [each.measure for each in _reached(watched)] == measures
    assert watched.is_alarming is bool(measures)
