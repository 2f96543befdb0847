"""The sockets of an IP address, with a clock of the test."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

import pytest

from apps.core import socket_limits
from apps.core.errors import RateLimited
from apps.core.socket_limits import AddressCounts
from apps.core.token_buckets import FrameRates, Rate

ADDRESS, OTHER = "192.0.2.1", "192.0.2.2"
ONE_FRAME = FrameRates(frames=Rate(1, 1), bytes=Rate(1, 1), pings=Rate(1, 1))


@pytest.fixture
def clock_set(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    def set_to(now: float) -> None:
        monkeypatch.setattr(time, "monotonic", lambda: now)

    set_to(100)
    return set_to


def admitted(counts: AddressCounts) -> int:
    """Return how many connections of the address are admitted until one is refused."""
    for number in range(100):
        try:
            counts.admit(ADDRESS)
        except RateLimited:
            return number
    raise AssertionError("no connection was refused")


def test_an_address_has_so_many_unauthenticated_connections_and_each_counts_until_its_log_in_or_end() -> None:
    counts = AddressCounts(unauthenticated=2, connects=None, frames=None)
    first, second = counts.admit(ADDRESS), counts.admit(ADDRESS)
    assert admitted(counts) == 0
    counts.admit(OTHER)
    first.authenticated()
    first.authenticated()
    assert admitted(counts) == 1
    first.closed()
    assert admitted(counts) == 0
    second.closed()
    second.closed()
    assert admitted(counts) == 1


def test_a_connection_without_a_session_counts_as_ten(clock_set: Callable[[float], None]) -> None:
    counts = AddressCounts(unauthenticated=None, connects=Rate(1, 20), frames=None)
    counts.admit(ADDRESS).refused()
    assert admitted(counts) == 10
    clock_set(103)
    assert admitted(counts) == 3


def test_a_flood_counts_once_as_a_whole_burst(clock_set: Callable[[float], None]) -> None:
    counts = AddressCounts(unauthenticated=None, connects=Rate(1, 5), frames=ONE_FRAME)
    guard = counts.admit(ADDRESS)
    assert [guard.frame_take() for _ in range(3)] == [True, False, False]
    clock_set(101.5)
    assert admitted(counts) == 0
    clock_set(102)
    assert admitted(counts) == 1


async def test_a_refusal_comes_later_unless_many_of_the_address_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_limits, "MAX_REFUSED_AT_ONCE", 2)
    monkeypatch.setattr(socket_limits, "REFUSAL_PAUSE_S", 0)
    counts = AddressCounts(unauthenticated=0, connects=None, frames=None)
    for _ in range(2):
        refused: list[int] = []
        for number in range(3):
            counts.refuse_later(ADDRESS, partial(refused.append, number))
        assert refused == [2]
        is_over = asyncio.Event()
        counts.refuse_later(OTHER, is_over.set)
        await is_over.wait()
        assert refused == [2, 0, 1]
