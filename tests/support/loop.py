"""Event loops of tests."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from apps.core.threads import in_loop

Answer = TypeVar("Answer")


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the coroutine on a new loop, and close that loop's connections."""
    return in_loop(work)
