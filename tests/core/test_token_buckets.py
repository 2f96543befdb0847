"""Token buckets, with a clock of the test."""

import time
from collections.abc import Callable

import pytest

from apps.core.socket_limits import AddressCounts, SocketGuard
from apps.core.token_buckets import MAX_DEBT_S, AddressBuckets, FrameRates, Rate, TokenBucket

TEN_A_SECOND = Rate(per_s=10, ahead_s=5)


def test_a_bucket_is_full_at_first_and_fills_at_its_rate() -> None:
    bucket = TokenBucket(TEN_A_SECOND, now=100)
    assert all(bucket.spend(1, 100) for _ in range(50))
    assert not bucket.spend(1, 100)
    assert bucket.spend(5, 100.5)
    assert not bucket.spend(1, 100.5)
    assert bucket.spend(50, 1000)
    assert not bucket.spend(1, 1000)


def test_a_refused_use_takes_no_token() -> None:
    bucket = TokenBucket(TEN_A_SECOND, now=0)
    assert not bucket.spend(51, 0)
    assert bucket.spend(50, 0)


def test_a_charge_makes_a_debt_up_to_a_limit() -> None:
    bucket = TokenBucket(TEN_A_SECOND, now=0)
    bucket.charge(70, 0)
    assert bucket.wait_s(1, 0) == pytest.approx(2.1)
    assert not bucket.spend(1, 2)
    assert bucket.spend(1, 2.1)
    bucket.charge(10**9, 2.1)
    assert bucket.wait_s(1, 2.1) == pytest.approx(MAX_DEBT_S + 0.1)


@pytest.mark.parametrize(
    ("take", "times"),
    [
        pytest.param(lambda guard: guard.frame_take(), 500, id="frames"),
        pytest.param(lambda guard: guard.ping_take(), 50, id="pings"),
        pytest.param(lambda guard: guard.bytes_take(1000), 600, id="bytes"),
    ],
)
def test_a_connection_has_a_burst_of_ten_seconds_and_then_the_rate(
    take: Callable[[SocketGuard], bool], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    guard = guard_with(FrameRates(frames=Rate(50, 10), bytes=Rate(60_000, 10), pings=Rate(5, 10)))
    assert [take(guard) for _ in range(times + 1)] == [True] * times + [False]
    clock += 1
    assert [take(guard) for _ in range(times // 10 + 1)] == [True] * (times // 10) + [False]


def test_pings_count_as_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    guard = guard_with(FrameRates(frames=Rate(1, 10), bytes=Rate(1, 1), pings=Rate(1000, 10)))
    assert [guard.ping_take() for _ in range(11)] == [True] * 10 + [False]


def guard_with(rates: FrameRates) -> SocketGuard:
    return AddressCounts(unauthenticated=None, connects=None, frames=rates).admit("192.0.2.1")


def test_each_address_has_its_own_bucket() -> None:
    buckets = AddressBuckets(Rate(1, 3))
    assert [buckets.spend("a", 0) for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.spend("b", 0) == 0
    assert buckets.wait_s("a", 0) == 1
    assert buckets.wait_s("never seen", 0) == 0
    buckets.charge("b", 10, 0)
    assert buckets.spend("b", 0) == pytest.approx(9)


def test_the_table_of_addresses_has_a_maximum_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AddressBuckets, "MAX_ADDRESSES", 100)
    buckets = AddressBuckets(Rate(1, 1))
    for number in range(1000):
        buckets.spend(f"address {number}", 0)
        assert buckets.spend("one that comes again and again", 0) == (0 if number == 0 else 1)  # it is not forgotten
        assert len(buckets) <= 100
    assert buckets.wait_s("one that comes again and again", 0) == 1
