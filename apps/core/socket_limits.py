"""Limits of sockets and their IP addresses in this process, which are checked before any other work.

The ASGI servers (`casino.serve`) check each handshake and each frame; a consumer reports authentication, and
counts messages with apps/core/message_rate_limit.py.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from math import ceil
from typing import Any, Final

import structlog
from django.conf import settings

from apps.core.client_address import network_of
from apps.core.errors import RateLimited
from apps.core.metrics import process_meter
from apps.core.token_buckets import AddressBuckets, FrameRates, Rate, TokenBucket

MAX_MESSAGE_BYTES: Final = 64 * 1024
MAX_FRAGMENTS: Final = 1024
"""The most frames of one message. Empty frames need memory too, but no bytes of the budget."""
SLICE_BYTES: Final = 2048
"""The most bytes that are processed before the budget is checked again, since one read may contain thousands of
frames."""
CLOSE_PATIENCE_S: Final = 1
"""Seconds that a client has to answer a close."""
NOT_UTF_8: Final = 1007
FLOODED: Final = 1008
REFUSAL_PAUSE_S: Final = 1
MAX_REFUSED_AT_ONCE: Final = 100
"""The most connections of an address with a delayed refusal; further ones are refused at once."""
REFUSED_CONNECTS: Final = 10
"""How many connects a connection without a valid session counts as. A player's client opens a new session first."""
GUARD: Final = "punto.guard"
"""Among the `extensions` of a socket's scope: its `SocketGuard`."""

logger = structlog.get_logger(__name__)


class SocketGuard:
    """One connection from its handshake to its end: its budget, and its cost for the IP address."""

    __slots__ = ("_address", "_bytes", "_counts", "_frames", "_is_closed", "_is_over", "_is_pending", "_pings")

    def __init__(self, counts: "AddressCounts", address: str, rates: FrameRates | None, now: float) -> None:
        self._counts = counts
        self._address = address
        self._frames = None if rates is None else TokenBucket(rates.frames, now)
        self._bytes = None if rates is None else TokenBucket(rates.bytes, now)
        self._pings = None if rates is None else TokenBucket(rates.pings, now)
        self._is_pending = True
        self._is_over = False
        self._is_closed = False
        process_meter().socket_opened()

    def bytes_take(self, count: int) -> bool:
        """Count bytes from the network, including headers of frames; False: the budget is exceeded."""
        return self._bytes is None or self._bytes.spend(count, time.monotonic()) or self._flooded()

    def frame_take(self) -> bool:
        """Count a frame other than a ping; False: the budget is exceeded."""
        return self._frames is None or self._frames.spend(1, time.monotonic()) or self._flooded()

    def ping_take(self) -> bool:
        """Count a ping, which is also a frame; False: the budget is exceeded."""
        if self._pings is not None and not self._pings.spend(1, time.monotonic()):
            return self._flooded()
        return self.frame_take()

    def authenticated(self) -> None:
        """Stop counting the connection as unauthenticated."""
        if self._is_pending:
            self._is_pending = False
            self._counts.authenticated(self._address)

    def refused(self) -> None:
        """Charge the address for a connection without a valid session."""
        self._counts.refused(self._address)

    def closed(self) -> None:
        """Forget the connection. May be called twice."""
        self.authenticated()
        if not self._is_closed:
            self._is_closed = True
            process_meter().socket_closed()

    def _flooded(self) -> bool:
        if not self._is_over:
            self._is_over = True
            self._counts.flooded(self._address)
        return False


class AddressCounts:
    """The sockets of each IP address: the unauthenticated ones, and the rate of connects."""

    def __init__(self, *, unauthenticated: int | None, connects: Rate | None, frames: FrameRates | None) -> None:
        self._most_unauthenticated = unauthenticated
        self._connects = connects
        self._buckets = None if connects is None else AddressBuckets(connects)
        self._frames = frames
        self._unauthenticated: Counter[str] = Counter()
        self._refusing: Counter[str] = Counter()

    def admit(self, address: str) -> SocketGuard:
        """Count a new connection. Raises RateLimited if its address has too many."""
        now = time.monotonic()
        network = network_of(address)
        most = self._most_unauthenticated
        if most is not None and self._unauthenticated[network] >= most:
            raise RateLimited("too many connections of your address have not authenticated yet")
        wait_s = 0.0 if self._buckets is None else self._buckets.spend(network, now)
        if wait_s:
            raise RateLimited("too many connections of your address; come back later", retry_after_s=ceil(wait_s))
        self._unauthenticated[network] += 1
        return SocketGuard(self, network, self._frames, now)

    def refuse_later(self, address: str, refuse: Callable[[], None]) -> None:
        """Refuse a connection after a pause, which slows its client down.

        Without the pause, refusing clients that connect at full speed would cost as much as serving many others.
        """
        network = network_of(address)
        if self._refusing[network] >= MAX_REFUSED_AT_ONCE:
            refuse()
            return
        self._refusing[network] += 1

        def refuse_now() -> None:
            self._refusing[network] -= 1
            if not self._refusing[network]:
                del self._refusing[network]
            refuse()

        asyncio.get_running_loop().call_later(REFUSAL_PAUSE_S, refuse_now)

    def authenticated(self, network: str) -> None:
        """Count one fewer unauthenticated connection."""
        self._unauthenticated[network] -= 1
        if not self._unauthenticated[network]:
            del self._unauthenticated[network]

    def refused(self, network: str) -> None:
        """Count a connection without a valid session as `REFUSED_CONNECTS`."""
        if self._buckets is not None:
            self._buckets.charge(network, REFUSED_CONNECTS - 1, time.monotonic())

    def flooded(self, network: str) -> None:
        """Charge the address of a flooding connection as many connects as its whole burst."""
        logger.warning("socket_flooded", address=network)
        if self._buckets is not None and self._connects is not None:
            self._buckets.charge(network, self._connects.most, time.monotonic())


@cache
def address_counts() -> AddressCounts:
    """Return the counts of this process, with the rates of the settings."""
    ahead_s = settings.PUNTO_AHEAD_S
    frames, connects = settings.PUNTO_FRAMES_PER_S, settings.PUNTO_CONNECTS_PER_S
    return AddressCounts(
        unauthenticated=settings.PUNTO_UNAUTHENTICATED_SOCKETS,
        connects=None if connects is None else Rate(connects, ahead_s),
        frames=None
        if frames is None
        else FrameRates(
            frames=Rate(frames, ahead_s),
            bytes=Rate(settings.PUNTO_SOCKET_BYTES_PER_S, ahead_s),
            pings=Rate(settings.PUNTO_PINGS_PER_S, ahead_s),
        ),
    )


def guard_of(scope: Mapping[str, Any]) -> SocketGuard | None:
    """Return the guard in a socket's scope, or None under another server than ours."""
    guard: SocketGuard | None = scope.get("extensions", {}).get(GUARD)
    return guard
