"""Token buckets: what a connection or an address may use up, at a steady rate and some of it ahead.

Times are seconds of a clock that never goes back (`time.monotonic()`); whoever asks says what time it is.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, NamedTuple

MOST_DEBT_S: Final = 30
"""How many seconds' worth a bucket may owe at most: so long its owner waits after whatever it did."""


class Rate(NamedTuple):
    """How much there is a second, and how many seconds' worth may be used ahead."""

    per_s: float
    ahead_s: float

    @property
    def most(self) -> float:
        return self.per_s * self.ahead_s


class TokenBucket:
    """What is left of a rate. It starts full."""

    __slots__ = ("_at", "_rate", "_tokens")

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._tokens = rate.most
        self._at = now

    def spend(self, cost: float, now: float) -> bool:
        """Take `cost` and return True; take nothing and return False where there is less."""
        tokens = self.tokens(now)
        if tokens < cost:
            return False
        self._tokens = tokens - cost
        return True

    def charge(self, cost: float, now: float) -> None:
        """Take `cost`, also where there is less: the rest is owed."""
        self._tokens = max(self.tokens(now) - cost, -self._rate.per_s * MOST_DEBT_S)

    def tokens(self, now: float) -> float:
        """Return what is left, below 0 what is owed."""
        self._tokens = min(self._rate.most, self._tokens + (now - self._at) * self._rate.per_s)
        self._at = now
        return self._tokens

    def wait_s(self, cost: float, now: float) -> float:
        """Return in how many seconds `cost` will be there."""
        return max(0.0, (cost - self.tokens(now)) / self._rate.per_s)


class FrameRates(NamedTuple):
    """What a connection may send. Every frame counts as one: fragments, pings and pongs too."""

    frames: Rate
    bytes: Rate
    pings: Rate


class FrameBudget:
    """What one connection may still send. Whoever is told False closes it."""

    __slots__ = ("_bytes", "_frames", "_pings")

    def __init__(self, rates: FrameRates, now: float) -> None:
        self._frames = TokenBucket(rates.frames, now)
        self._bytes = TokenBucket(rates.bytes, now)
        self._pings = TokenBucket(rates.pings, now)

    def frame_take(self, now: float) -> bool:
        """Count a frame of any kind."""
        return self._frames.spend(1, now)

    def ping_take(self, now: float) -> bool:
        """Count a ping, as a frame too."""
        return self._pings.spend(1, now) and self._frames.spend(1, now)

    def bytes_take(self, count: int, now: float) -> bool:
        """Count bytes as they come from the network, headers of frames included."""
        return self._bytes.spend(count, now)


class AddressBuckets:
    """A bucket for each address, for any thread. Beyond `MOST_ADDRESSES` the one not used for longest is forgotten."""

    MOST_ADDRESSES: Final = 20_000

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._buckets)

    def spend(self, address: str, now: float, cost: float = 1) -> float:
        """Take `cost` and return 0; take nothing where there is less, and return in how many seconds to come back."""
        with self._lock:
            bucket = self._bucket(address, now)
            return 0.0 if bucket.spend(cost, now) else bucket.wait_s(cost, now)

    def charge(self, address: str, cost: float, now: float) -> None:
        """Take `cost`, also where there is less: the rest is owed."""
        with self._lock:
            self._bucket(address, now).charge(cost, now)

    def wait_s(self, address: str, now: float, cost: float = 1) -> float:
        """Return in how many seconds `cost` will be there; an address that was never seen is not remembered."""
        with self._lock:
            bucket = self._buckets.get(address)
            return 0.0 if bucket is None else bucket.wait_s(cost, now)

    def _bucket(self, address: str, now: float) -> TokenBucket:
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = TokenBucket(self._rate, now)
            if len(self._buckets) > self.MOST_ADDRESSES:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(address)
        return bucket
