"""Event loops of tests, and their end."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from apps.core.lines import lines_close
from apps.core.pool import pool_close

Answer = TypeVar("Answer")


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the work on a loop of its own, and close that loop's connections."""

    async def ending() -> Answer:
        try:
            return await work
        finally:
            await lines_close()
            await pool_close()
            await tasks_end()

    return asyncio.run(ending())


async def tasks_end() -> None:
    """End all tasks but this one. psycopg's pool takes being told so while it connects for a failure, and goes on."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    while tasks:
        for task in tasks:
            task.cancel()
        _, tasks = await asyncio.wait(tasks, timeout=0.1)
