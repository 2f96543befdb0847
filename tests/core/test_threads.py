"""Coroutines from synchronous code: those of requests run on the loop that their process shares."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.transaction import TransactionManagementError

from apps.core.postgres_pool import Pool, pool
from apps.core.threads import in_loop, loop_in_thread, loop_share

pytestmark = pytest.mark.usefixtures("committed")


async def loop_and_pool() -> tuple[asyncio.AbstractEventLoop, Pool]:
    return asyncio.get_running_loop(), pool()


async def test_a_view_under_asgi_works_on_the_loop_that_serves_it() -> None:
    async def request() -> list[Any]:
        loop_share(asyncio.get_running_loop())
        return [await sync_to_async(lambda: in_loop(loop_and_pool()))() for _ in range(2)]

    first, second = await asyncio.create_task(request())
    assert first == second == await loop_and_pool()


def test_requests_of_a_process_without_a_loop_share_one_in_a_thread() -> None:
    def request() -> Any:
        loop_share(loop_in_thread())
        return in_loop(loop_and_pool())

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: copy_context().run(request), range(8)))
    assert len({id(loop) for loop, _ in answers}) == 1
    assert len({id(held) for _, held in answers}) == 1


def test_a_task_has_a_loop_of_its_own() -> None:
    (first, _), (second, _) = in_loop(loop_and_pool()), in_loop(loop_and_pool())
    assert first is not second
    assert first.is_closed()


def test_an_error_reaches_the_view_and_a_transaction_is_refused_on_the_shared_loop_too() -> None:
    async def fail() -> None:
        raise LookupError("no such seat")

    def request() -> None:
        loop_share(loop_in_thread())
        with pytest.raises(LookupError, match="no such seat"):
            in_loop(fail())
        with transaction.atomic(), pytest.raises(TransactionManagementError):
            in_loop(fail())

    copy_context().run(request)
