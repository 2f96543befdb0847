"""Token buckets: the budget of a connection or an IP address, with a steady rate and a burst.

Times are seconds of a monotonic clock (`time.monotonic()`); callers pass the current time.
The rates are settings: casino/settings/base.py, names with `_PER_`.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, NamedTuple

MAX_DEBT_S: Final = 30
"""The largest debt of a bucket in seconds' worth, and so the longest wait of its owner."""


class Rate(NamedTuple):
    """The tokens a second, and the burst in seconds' worth."""

    per_s: float
    ahead_s: float

    @property
    def most(self) -> float:
        return self.per_s * self.ahead_s


class TokenBucket:
    """The tokens that are left of a rate. It starts full."""

    __slots__ = ("_at", "_rate", "_tokens")

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._tokens = rate.most
        self._at = now

    def spend(self, cost: float, now: float) -> bool:
        """Take `cost` and return True; if there is less, take nothing and return False."""
        tokens = self.tokens(now)
        if tokens < cost:
            return False
        self._tokens = tokens - cost
        return True

    def charge(self, cost: float, now: float) -> None:
        """Take `cost`; if there is less, the rest is a debt."""
        self._tokens = max(self.tokens(now) - cost, -self._rate.per_s * MAX_DEBT_S)

    def tokens(self, now: float) -> float:
        """Return the tokens that are left; below 0 they are a debt."""
        self._tokens = min(self._rate.most, self._tokens + (now - self._at) * self._rate.per_s)
        self._at = now
        return self._tokens

    def wait_s(self, cost: float, now: float) -> float:
        """Return the seconds until `cost` is available."""
        return max(0.0, (cost - self.tokens(now)) / self._rate.per_s)


class FrameRates(NamedTuple):
    """The rates of a connection. Each frame counts, also fragments, pings and pongs."""

    frames: Rate
    bytes: Rate
    pings: Rate


class AddressBuckets:
    """A thread-safe bucket for each address. Beyond `MAX_ADDRESSES` the least recently used one is forgotten."""

    MAX_ADDRESSES: Final = 20_000

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._buckets)

    def spend(self, address: str, now: float, cost: float = 1) -> float:
        """Take `cost` and return 0; if there is less, take nothing and return the seconds until it is available."""
        with self._lock:
            bucket = self._bucket(address, now)
            return 0.0 if bucket.spend(cost, now) else bucket.wait_s(cost, now)

    def charge(self, address: str, cost: float, now: float) -> None:
        """Take `cost`; if there is less, the rest is a debt."""
        with self._lock:
            self._bucket(address, now).charge(cost, now)

    def wait_s(self, address: str, now: float, cost: float = 1) -> float:
        """Return the seconds until `cost` is available, without storing an unknown address."""
        with self._lock:
            bucket = self._buckets.get(address)
            return 0.0 if bucket is None else bucket.wait_s(cost, now)

    def _bucket(self, address: str, now: float) -> TokenBucket:
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = TokenBucket(self._rate, now)
            if len(self._buckets) > self.MAX_ADDRESSES:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(address)
        return bucket
