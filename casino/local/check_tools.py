"""The programs that only the checks need: Chromium, and Node with its packages. Standard library only."""

from pathlib import Path

from casino.local.chromium import chromium_ensure
from casino.local.node import node_ensure


def check_tools_ensure(checkout: Path) -> None:
    """Make sure that Chromium and Node are installed; install them if possible. Raises SetupError."""
    chromium_ensure()
    node_ensure(checkout)
