"""Runs the load in its own process and returns its figures."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def load_run(kind: str, *, module: str = "casino.bench.load", **work: Any) -> dict[str, Any]:
    """Run one load of a module and return its figures. Stops the benchmark if a request failed."""
    done = subprocess.run(
        [sys.executable, "-m", module, kind],
        input=json.dumps(work) + "\n", stdout=subprocess.PIPE, text=True, check=True, timeout=work["seconds"] + 300,
    )  # fmt: skip
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if figures["failed"]:
        raise SystemExit(
            f"{figures['failed']} of {figures['count']} requests failed, for example: {figures['failures']}"
        )
    return figures


def bearers(tokens: list[str]) -> list[str]:
    """Return the header of each token."""
    return [f"Authorization: Bearer {token}" for token in tokens]


@contextmanager
def idle_held(**work: Any) -> Iterator[None]:
    """Hold idle connections open during the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "casino.bench.load", "idle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(work) + "\n")
        child.stdin.flush()
        child.stdout.readline()
        yield
        child.communicate("\n", timeout=60)
