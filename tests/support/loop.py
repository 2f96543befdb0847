"""Event loops of tests, and their end."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from apps.core.threads import in_loop

Answer = TypeVar("Answer")


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the work on a loop of its own, and close that loop's connections."""
    return in_loop(work)
