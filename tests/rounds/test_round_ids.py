"""The ids of solo rounds (apps/rounds/round_ids.py)."""

import time
from uuid import RFC_4122

import pytest

from apps.rounds.round_ids import round_id_make

SECOND_NS = 1_000_000_000


def beginning(at_ns: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the first eight characters of an id made at this time."""
    monkeypatch.setattr(time, "time_ns", lambda: at_ns)
    return str(round_id_make())[:8]


def test_an_id_is_a_uuid_of_version_8() -> None:
    ids = [round_id_make() for _ in range(100)]
    assert {(each.version, each.variant) for each in ids} == {(8, RFC_4122)}


def test_ids_stand_in_the_order_of_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [*range(0, SECOND_NS, 20_000_000), *range(SECOND_NS, 65_000 * SECOND_NS, 1_000 * SECOND_NS)]
    beginnings = [beginning(at, monkeypatch) for at in times]
    assert beginnings == sorted(set(beginnings))


def test_the_beginning_comes_again_after_eighteen_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    now, later = time.time_ns(), 65_536 * SECOND_NS
    assert beginning(now, monkeypatch) == beginning(now + later, monkeypatch)
    assert beginning(now, monkeypatch) != beginning(now + 1_000_000, monkeypatch)


def test_ids_of_one_moment_differ_in_random_bits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000 * SECOND_NS)
    ids = [round_id_make().int for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    differing = 0
    for each in ids:
        differing |= each ^ ids[0]
    assert differing == (1 << 96) - 1 & ~(0xF << 76 | 0b11 << 62)
