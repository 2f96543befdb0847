"""Batches items that arrive together: one statement and one commit for up to eight."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

import asyncpg

BATCH_SIZE: Final = 8
"""The most items in a batch. If sixteen players bet without a pause, half wait for PostgreSQL and half for us: with
larger batches one of the two waits for the other, with smaller ones fewer items share a commit's cost."""

PATIENCE_S: Final = 0.1
"""Seconds that items wait for a running batch, which a lock or a lost connection may delay."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Batcher(Generic[Item, Answer]):
    """Loads items in batches: items that arrive while a batch is running form the next one.

    `load_all` answers a batch, item by item in its order. If PostgreSQL refuses a batch, its items are loaded again one
    by one, because one item rolled back all. Any other error is raised for the whole batch: its outcome is unknown. If
    a batch takes long, the next ones run beside it. It belongs to one event loop. If `load` is cancelled, the item may
    be loaded or not.
    """

    def __init__(self, load_all: Callable[[list[Item]], Awaitable[Sequence[Answer]]]) -> None:
        self._load_all = load_all
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._leader: object | None = None
        """The task that loads now and then starts the next batch: a worker, or a lone caller."""
        self._former: set[asyncio.Task[None]] = set()
        """Slow workers until they end, because asyncio keeps no references to its tasks."""
        self._was_alone = False
        """Whether the last batch was one item and nothing arrived meanwhile."""
        self._batches = 0
        self._timer: asyncio.TimerHandle | None = None

    async def load(self, item: Item) -> Answer:
        """Return the answer to one item. Raises what `load_all` raised for it, or for the batch it was in."""
        if self._leader is None and self._was_alone:
            # In the caller's task: a worker and two more loop iterations cost as much as the statement.
            leader = self._leader = object()
            self._batches += 1
            try:
                (alone,) = await self._load_all([item])
                return alone
            finally:
                if self._leader is leader:
                    self._leader = None
                    if self._waiting:
                        self._worker_start()
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        if self._leader is None:
            self._worker_start()
        elif self._timer is None:
            self._timer_start()
        return await answer

    def _worker_start(self) -> None:
        """Start a new worker that leads and loads the waiting items."""
        if isinstance(self._leader, asyncio.Task):
            self._former.add(self._leader)
            self._leader.add_done_callback(self._former.discard)
        self._leader = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Load batches until nothing waits or another task leads."""
        worker = asyncio.current_task()
        while self._waiting:
            batch = self._waiting[:BATCH_SIZE]
            del self._waiting[:BATCH_SIZE]
            self._batches += 1
            await self._answer(batch)
            if self._leader is not worker:
                return
            self._was_alone = len(batch) == 1 and not self._waiting
        if self._leader is worker:
            self._leader = None

    def _timer_start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._progress_check, self._batches)

    def _progress_check(self, batches: int) -> None:
        """Load all waiting items at once if no batch has started since the timer was set."""
        self._timer = None
        if not self._waiting:
            return
        if batches == self._batches:
            for _ in range(0, len(self._waiting), BATCH_SIZE):
                self._worker_start()
        self._timer_start()

    async def _answer(self, batch: list[tuple[Item, asyncio.Future[Answer]]]) -> None:
        try:
            loaded = await self._load_all([item for item, _ in batch])
            answers = list(zip(batch, loaded, strict=True))
        except asyncpg.PostgresError as error:
            if len(batch) > 1:
                await asyncio.gather(*[self._answer([one]) for one in batch])
            else:
                _refuse(batch, error)
        except Exception as error:  # noqa: BLE001  - whatever the error is, nobody may wait forever
            _refuse(batch, error)
        else:
            for (_, answer), value in answers:
                if not answer.done():
                    answer.set_result(value)


def _refuse(batch: list[tuple[Item, asyncio.Future[Answer]]], error: Exception) -> None:
    for _, answer in batch:
        if not answer.done():
            answer.set_exception(error)
