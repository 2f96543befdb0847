"""Keeps programs running: a program that ends is started again after a growing pause, up to a limit.

One thread watches all of them. A restart of PostgreSQL may delay one of web by some seconds, but web cannot work
without PostgreSQL.
"""

import queue
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from casino.local.setup_error import SetupError, from_os_error

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WATCH_EVERY_S: Final = 0.1


class Supervised(Protocol):
    """A program that can be started again."""

    @property
    def name(self) -> str:
        """Its name in the printed lines."""

    def start(self) -> None:
        """Start it. Raises SetupError or OSError."""

    def exit_code(self) -> int | None:
        """Return the exit code, or the negative number of the signal that ended it; None while it runs."""


@dataclass(frozen=True, slots=True)
class RestartLimits:
    """The pauses before restarts, and the limit of restarts of one program."""

    first_pause_s: float = 0.5
    longest_pause_s: float = 30
    quiet_s: float = 60
    """After running this long, a program begins with the first pause again."""
    window_s: float = 600
    max_restarts: int = 10
    """The most restarts within the window. One more stops everything."""


DEFAULT_LIMITS: Final = RestartLimits()


@dataclass(slots=True)
class RestartHistory:
    """The restarts of one program. Times are monotonic seconds."""

    limits: RestartLimits
    _restarts: deque[float] = field(default_factory=deque, init=False)
    _pause_s: float = field(default=0, init=False)

    def restart_plan(self, now: float) -> float | None:
        """Count a restart and return when it is due, or None beyond the limit."""
        limits = self.limits
        while self._restarts and self._restarts[0] <= now - limits.window_s:
            self._restarts.popleft()
        if len(self._restarts) >= limits.max_restarts:
            return None
        is_quiet = not self._restarts or now - self._restarts[-1] >= limits.quiet_s
        self._pause_s = limits.first_pause_s if is_quiet else min(2 * self._pause_s, limits.longest_pause_s)
        self._restarts.append(now + self._pause_s)
        return now + self._pause_s


@dataclass(slots=True)
class _Watched:
    program: Supervised
    history: RestartHistory
    due: float | None = None
    """The time of its next start; None while it runs."""


class Supervisor:
    """Watches started programs. `say` prints a line; `clear` ends the processes that an ended program left."""

    def __init__(
        self,
        programs: Iterable[Supervised],
        *,
        limits: RestartLimits,
        say: Callable[[str], None],
        clear: Callable[[], None],
    ) -> None:
        self._watched = [_Watched(program, RestartHistory(limits)) for program in programs]
        self._limits = limits
        self._say = say
        self._clear = clear

    def watch(self, stop_requests: "queue.SimpleQueue[int]") -> int:
        """Restart programs that end until a stop is requested; return its signal. Raises SetupError at the limit."""
        while True:
            try:
                return stop_requests.get(timeout=WATCH_EVERY_S)
            except queue.Empty:
                for watched in self._watched:
                    self._look(watched)

    def _look(self, watched: _Watched) -> None:
        if watched.due is None:
            code = watched.program.exit_code()
            if code is not None:
                self._ended(watched, _ending(code))
        elif time.monotonic() >= watched.due:
            watched.due = None
            self._start(watched)

    def _start(self, watched: _Watched) -> None:
        try:
            watched.program.start()
        except (SetupError, OSError) as error:
            self._say(str(from_os_error(error) if isinstance(error, OSError) else error))
            self._ended(watched, "could not be started")

    def _ended(self, watched: _Watched, how: str) -> None:
        self._clear()
        name = watched.program.name
        now = time.monotonic()
        watched.due = watched.history.restart_plan(now)
        if watched.due is None:
            self._say(f"{name} {how}")
            raise SetupError(
                f"{name} {how}. It was started again {self._limits.max_restarts} times within "
                f"{self._limits.window_s / 60:g} minutes, so everything was stopped. What was saved is kept; "
                "the lines above say why."
            )
        self._say(f"{name} {how}; it is started again in {watched.due - now:.1f} s")


def stop_requests_receive() -> "queue.SimpleQueue[int]":
    """Receive the signals that request a stop in the returned queue from now on, instead of interrupting."""
    requests: queue.SimpleQueue[int] = queue.SimpleQueue()  # unlike an Event, it can be used in a signal handler
    for number in STOP_SIGNALS:
        signal.signal(number, lambda received, _frame: requests.put(received))
    return requests


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:  # real-time signals have no names
        return f"was ended by signal {-code}"
