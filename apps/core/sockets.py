"""What sockets and their addresses may use up in this process: counted before anything else is done for them.

The ASGI servers (`casino.serve`) ask for each handshake and each frame; a consumer says who has authenticated.
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

from apps.core.budgets import AddressBuckets, FrameBudget, FrameRates, Rate
from apps.core.errors import RateLimited
from apps.core.visitors import network_of

MAX_MESSAGE_BYTES: Final = 64 * 1024
MAX_FRAGMENTS: Final = 1024
"""Frames of one message. An empty one takes memory too, and no budget of bytes."""
SLICE_BYTES: Final = 2048
"""What is read of a connection before its budget is looked at again: thousands of frames fit into one read."""
CLOSE_PATIENCE_S: Final = 1
"""How long a client has to take its end of a connection that we close."""
NOT_UTF_8: Final = 1007
FLOODED: Final = 1008
REFUSAL_PAUSE_S: Final = 1
MOST_REFUSED_AT_ONCE: Final = 100
"""Connections of an address that wait for their refusal; beyond that they hear it at once."""
REFUSED_CONNECTS: Final = 10
"""As how many connects one counts that came without a valid session: a player's client asks for another one first."""
GUARD: Final = "punto.guard"
"""Among the `extensions` of a socket's scope: its `SocketGuard`."""

logger = structlog.get_logger(__name__)


class SocketGuard:
    """One connection from its handshake to its end: what it may send, and what its address answers for."""

    __slots__ = ("_address", "_budget", "_counts", "_is_over", "_is_pending")

    def __init__(self, counts: "AddressCounts", address: str, budget: FrameBudget | None) -> None:
        self._counts = counts
        self._address = address
        self._budget = budget
        self._is_pending = True
        self._is_over = False

    def bytes_take(self, count: int) -> bool:
        """Count what came from the network; False: more than the connection may send."""
        return self._budget is None or self._budget.bytes_take(count, time.monotonic()) or self._flooded()

    def frame_take(self) -> bool:
        """Count a frame other than a ping; False: more than the connection may send."""
        return self._budget is None or self._budget.frame_take(time.monotonic()) or self._flooded()

    def ping_take(self) -> bool:
        """Count a ping; False: more than the connection may send."""
        return self._budget is None or self._budget.ping_take(time.monotonic()) or self._flooded()

    def authenticated(self) -> None:
        """Stop counting the connection as one that has not said who it is."""
        if self._is_pending:
            self._is_pending = False
            self._counts.authenticated(self._address)

    def refused(self) -> None:
        """Have the connection cost its address more than one that was opened with a valid session."""
        self._counts.refused(self._address)

    def closed(self) -> None:
        """Forget the connection. It may be said twice."""
        self.authenticated()

    def _flooded(self) -> bool:
        if not self._is_over:
            self._is_over = True
            self._counts.flooded(self._address)
        return False


class AddressCounts:
    """The sockets of each address: those that have not authenticated yet, and how many connect in what time."""

    def __init__(self, *, unauthenticated: int | None, connects: Rate | None, frames: FrameRates | None) -> None:
        self._most_unauthenticated = unauthenticated
        self._connects = connects
        self._buckets = None if connects is None else AddressBuckets(connects)
        self._frames = frames
        self._unauthenticated: Counter[str] = Counter()
        self._refusing: Counter[str] = Counter()

    def admit(self, address: str) -> SocketGuard:
        """Count a connection that asks to be opened. Raises RateLimited where its address has too many."""
        now = time.monotonic()
        network = network_of(address)
        most = self._most_unauthenticated
        if most is not None and self._unauthenticated[network] >= most:
            raise RateLimited("too many connections of your address have not authenticated yet")
        wait_s = 0.0 if self._buckets is None else self._buckets.spend(network, now)
        if wait_s:
            raise RateLimited("too many connections of your address; come back later", retry_after_s=ceil(wait_s))
        self._unauthenticated[network] += 1
        budget = None if self._frames is None else FrameBudget(self._frames, now)
        return SocketGuard(self, network, budget)

    def refuse_later(self, address: str, refuse: Callable[[], None]) -> None:
        """Have a connection that was not admitted hear so after a pause: its client connects again no faster.

        Without one, refusing those that connect at full speed would take as much as serving many others.
        """
        network = network_of(address)
        if self._refusing[network] >= MOST_REFUSED_AT_ONCE:
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
        """Count one connection less among those that have not authenticated."""
        self._unauthenticated[network] -= 1
        if not self._unauthenticated[network]:
            del self._unauthenticated[network]

    def refused(self, network: str) -> None:
        """Count a connection without a valid session as `REFUSED_CONNECTS` in all."""
        if self._buckets is not None:
            self._buckets.charge(network, REFUSED_CONNECTS - 1, time.monotonic())

    def flooded(self, network: str) -> None:
        """Have a connection that sent too much cost its address as much as the connects it may be ahead with."""
        logger.warning("socket_flooded", address=network)
        if self._buckets is not None and self._connects is not None:
            self._buckets.charge(network, self._connects.most, time.monotonic())


@cache
def address_counts() -> AddressCounts:
    """Return the counts of this process, by the settings."""
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
    """Return the guard that the server has put into a socket's scope; None under a server that is not ours."""
    guard: SocketGuard | None = scope.get("extensions", {}).get(GUARD)
    return guard
