"""The cost of a piece of work in this process and in PostgreSQL."""

import os
import time
from dataclasses import dataclass
from datetime import datetime

from casino.bench.bench_environment import BenchEnvironment, cpu_s, memory_bytes


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one run, in seconds except for the last two."""

    wall_s: float
    python_s: float
    postgres_s: float
    memory_bytes: int
    count: int

    @property
    def text(self) -> str:
        return f"{self.wall_s:,.1f}, {self.python_s:,.1f} and {self.postgres_s:,.1f} s"

    @property
    def each_us(self) -> float:
        """The CPU of one of `count`, of both together."""
        return 1e6 * (self.python_s + self.postgres_s) / self.count


class Measured:
    """Measures the block, which sets `count` itself."""

    def __init__(self, bench: BenchEnvironment) -> None:
        self._postgres_pid = bench.postgres_pid
        self.count = 0

    def __enter__(self) -> "Measured":
        self._before = time.perf_counter(), time.process_time(), cpu_s(self._postgres_pid)
        return self

    def __exit__(self, *_: object) -> None:
        wall_s, python_s, postgres_s = self._before
        self.cost = Cost(
            time.perf_counter() - wall_s,
            time.process_time() - python_s,
            cpu_s(self._postgres_pid) - postgres_s,
            memory_bytes(os.getpid()),
            self.count,
        )


def database_now() -> datetime:
    """Return the time by PostgreSQL's clock."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now: datetime = cursor.fetchone()[0]
        return now
