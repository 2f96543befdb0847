"""The event loops of coroutine tests."""

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

ON_BOTH_LOOPS = {"test_postgres_pool.py", "test_postgres_pool_faults.py"}
"""Production runs on uvloop, which has its own transports; `make run` runs on asyncio."""


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    factories = {"asyncio": asyncio.new_event_loop}
    return factories | {"uvloop": uvloop.new_event_loop} if item.path.name in ON_BOTH_LOOPS else factories
