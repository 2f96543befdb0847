"""Batches: each caller gets the answer to its own item, whatever happens to the others."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from apps.core import batcher as batcher_module
from apps.core.batcher import BATCH_SIZE, PATIENCE_S, Batcher
from casino.settings.waits import WAIT_S


class Doubler:
    """Doubles the numbers of a batch and records the batches; a batch with a number of `held` waits for its event."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.held: dict[int, asyncio.Event] = {}
        self.reached = asyncio.Event()
        self.errors: dict[int, Exception] = {}

    async def load_all(self, items: list[int]) -> Sequence[int]:
        self.batches.append(items)
        for number in items:
            if number in self.held:
                self.reached.set()
                await self.held[number].wait()
        await asyncio.sleep(0)
        for number in items:
            if number in self.errors:
                raise self.errors[number]
        return [2 * number for number in items]


@pytest.fixture(autouse=True)
async def nothing_left() -> AsyncIterator[None]:
    """Check after each test that no task is left and no error went unnoticed."""
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    yield
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, pending = await asyncio.wait(others, timeout=WAIT_S)
        assert not pending
    assert faults == []


@pytest.fixture
def without_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for batches without a timeout, so that a forgotten item waits for ever."""
    monkeypatch.setattr(batcher_module, "PATIENCE_S", 3600)


async def alone(batcher: Batcher[int, int]) -> None:
    """Load one item, so that the next caller counts as a single one."""
    assert await load_all(batcher, [7]) == [14]


async def load_all(batcher: Batcher[int, int], items: Sequence[int]) -> list[Any]:
    """Load the items concurrently; return the answers and errors."""
    async with asyncio.timeout(WAIT_S):
        return await asyncio.gather(*[batcher.load(item) for item in items], return_exceptions=True)


async def all_of(*tasks: asyncio.Task[int]) -> list[int]:
    """Return the answers of the tasks."""
    async with asyncio.timeout(WAIT_S):
        return await asyncio.gather(*tasks)


@pytest.mark.usefixtures("without_patience")
async def test_concurrent_items_are_batched_and_each_gets_its_own_answer() -> None:
    doubler = Doubler()
    numbers = list(range(2 * BATCH_SIZE + 3))
    assert await load_all(Batcher(doubler.load_all), numbers) == [2 * number for number in numbers]
    assert doubler.batches == [numbers[:BATCH_SIZE], numbers[BATCH_SIZE : 2 * BATCH_SIZE], numbers[2 * BATCH_SIZE :]]


@pytest.mark.usefixtures("without_patience")
async def test_items_that_arrive_during_a_batch_are_the_next_batch() -> None:
    doubler = Doubler()
    batcher = Batcher(doubler.load_all)
    doubler.held[0] = asyncio.Event()
    first = asyncio.create_task(batcher.load(0))
    await doubler.reached.wait()
    later = [asyncio.create_task(batcher.load(number)) for number in (1, 2, 3)]
    await asyncio.sleep(0)
    doubler.held[0].set()
    assert await all_of(first, *later) == [0, 2, 4, 6]
    assert doubler.batches == [[0], [1, 2, 3]]


@pytest.mark.usefixtures("without_patience")
async def test_a_batch_that_postgresql_refuses_is_loaded_one_by_one() -> None:
    doubler = Doubler()
    doubler.errors = {number: asyncpg.LockNotAvailableError(f"so {number}") for number in (2, 5)}
    batcher = Batcher(doubler.load_all)
    answers = await load_all(batcher, range(6))
    assert answers == [0, 2, doubler.errors[2], 6, 8, doubler.errors[5]]
    assert sorted(doubler.batches[1:]) == [[number] for number in range(6)]
    assert await load_all(batcher, [7]) == [14]


@pytest.mark.usefixtures("without_patience")
@pytest.mark.parametrize("error", [TimeoutError(), ConnectionResetError(), ValueError()], ids=repr)
async def test_an_error_with_an_unknown_outcome_goes_to_the_whole_batch_without_a_retry(
    error: Exception,
) -> None:
    doubler = Doubler()
    doubler.errors = {1: error}
    batcher = Batcher(doubler.load_all)
    assert await load_all(batcher, range(3)) == [error] * 3
    assert doubler.batches == [[0, 1, 2]]
    assert await load_all(batcher, [7]) == [14]


@pytest.mark.usefixtures("without_patience")
async def test_a_missing_answer_is_an_error_for_the_whole_batch() -> None:
    async def load_too_few(items: list[int]) -> list[int]:
        return items[1:]

    answers = await load_all(Batcher(load_too_few), range(3))
    assert [type(answer) for answer in answers] == [ValueError] * 3


@pytest.mark.usefixtures("without_patience")
@pytest.mark.parametrize("refused", [False, True])
async def test_the_others_of_a_batch_are_answered_if_callers_are_cancelled(refused: bool) -> None:
    doubler = Doubler()
    batcher = Batcher(doubler.load_all)
    doubler.held[0] = asyncio.Event()
    if refused:
        doubler.errors[1] = asyncpg.LockNotAvailableError("so")
    tasks = [asyncio.create_task(batcher.load(number)) for number in range(2 * BATCH_SIZE)]
    await doubler.reached.wait()
    gone = tasks[1::2]
    for task in gone:
        task.cancel()
    doubler.held[0].set()
    async with asyncio.timeout(WAIT_S):
        await asyncio.wait(tasks)
    assert all(task.cancelled() for task in gone)
    assert [await task for task in tasks[::2]] == [2 * number for number in range(0, 2 * BATCH_SIZE, 2)]


@pytest.mark.usefixtures("without_patience")
async def test_a_single_caller_loads_in_its_own_task_and_later_ones_are_the_next_batch() -> None:
    doubler = Doubler()
    batcher = Batcher(doubler.load_all)
    await alone(batcher)
    tasks_before = asyncio.all_tasks()
    doubler.held[0] = asyncio.Event()
    first = asyncio.create_task(batcher.load(0))
    await doubler.reached.wait()
    assert asyncio.all_tasks() - tasks_before == {first}
    later = [asyncio.create_task(batcher.load(number)) for number in (1, 2, 3)]
    await asyncio.sleep(0)
    doubler.held[0].set()
    assert await all_of(first, *later) == [0, 2, 4, 6]
    assert doubler.batches[1:] == [[0], [1, 2, 3]]


@pytest.mark.usefixtures("without_patience")
@pytest.mark.parametrize("error", [None, asyncpg.LockNotAvailableError("so"), TimeoutError()], ids=repr)
async def test_waiting_items_are_loaded_if_the_single_caller_is_cancelled_or_refused(
    error: Exception | None,
) -> None:
    doubler = Doubler()
    batcher = Batcher(doubler.load_all)
    await alone(batcher)
    doubler.held[0] = asyncio.Event()
    first = asyncio.create_task(batcher.load(0))
    await doubler.reached.wait()
    later = [asyncio.create_task(batcher.load(number)) for number in (1, 2)]
    await asyncio.sleep(0)
    if error is None:
        first.cancel()
    else:
        doubler.errors[0] = error
        doubler.held[0].set()
    (given,) = await asyncio.gather(first, return_exceptions=True)
    assert given is error or isinstance(given, asyncio.CancelledError)
    assert await all_of(*later) == [2, 4]


@pytest.mark.parametrize("was_alone", [False, True])
async def test_a_later_caller_does_not_wait_for_a_stalled_batch(was_alone: bool) -> None:
    doubler = Doubler()
    batcher = Batcher(doubler.load_all)
    if was_alone:
        await alone(batcher)
    doubler.held[0] = asyncio.Event()
    stalled = asyncio.create_task(batcher.load(0))
    await doubler.reached.wait()
    for _ in range(3):
        assert await load_all(batcher, range(1, 20)) == [2 * number for number in range(1, 20)]
    assert not stalled.done()
    doubler.held[0].set()
    assert await stalled == 0
    assert await load_all(batcher, [7]) == [14]


async def test_all_items_that_wait_for_a_stalled_batch_are_loaded_at_once_after_its_timeout() -> None:
    """If each batch had to wait for a timeout of its own, the last would be loaded minutes later."""
    batches, release = 0, asyncio.Event()

    async def stall(items: list[int]) -> list[int]:
        nonlocal batches
        batches += 1
        await release.wait()
        return items

    batcher: Batcher[int, int] = Batcher(stall)
    tasks = [asyncio.create_task(batcher.load(number)) for number in range(100 * BATCH_SIZE)]
    async with asyncio.timeout(WAIT_S):
        while batches < 100:  # noqa: ASYNC110  - there is no event for the beginning of a batch
            await asyncio.sleep(PATIENCE_S / 10)
    release.set()
    assert await all_of(*tasks) == list(range(100 * BATCH_SIZE))


@pytest.mark.usefixtures("without_patience")
@pytest.mark.parametrize("askers", [1, 2, 3, 30])
async def test_no_item_is_forgotten_in_any_order_of_callers_batches_and_cancellations(askers: int) -> None:
    chance = random.Random(7)

    async def load_some_time(items: list[int]) -> list[int]:
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        if chance.random() < 0.2:
            raise asyncpg.LockNotAvailableError("so")
        return items

    batcher: Batcher[int, int] = Batcher(load_some_time)

    async def ask_again_and_again(number: int) -> int:
        answered = 0
        for _ in range(50):
            task = asyncio.create_task(batcher.load(number))
            for _ in range(chance.randrange(5)):
                await asyncio.sleep(0)
            if chance.random() < 0.3:
                task.cancel()
            (given,) = await asyncio.gather(task, return_exceptions=True)
            assert given == number or isinstance(given, asyncio.CancelledError | asyncpg.PostgresError)
            answered += given == number
        return answered

    async with asyncio.timeout(WAIT_S):
        assert sum(await asyncio.gather(*[ask_again_and_again(number) for number in range(askers)])) > 0
