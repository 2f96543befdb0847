"""Signals that end a command. Standard library only."""

import signal
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130
"""The exit code of a command that a signal has ended."""


class Terminated(KeyboardInterrupt):
    """A signal to stop. Unlike Ctrl-C in a terminal it reaches this process alone, not its children."""


def until_terminated(command: Callable[[], int]) -> int:
    """Run a command that SIGTERM and SIGHUP end as Ctrl-C does, with all that it has started; returns the exit code.

    A second of these signals does not interrupt the end: servers that are left would be in the way of the next start.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminate)
    try:
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED


def _terminate(_number: int, _frame: FrameType | None) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: None)  # unlike SIG_IGN, started programs do not inherit it
    raise Terminated
