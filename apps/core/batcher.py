"""Items that come at the same moment go together: one statement and one commit for eight of them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

import asyncpg

BATCH_SIZE: Final = 8
"""Items of one batch. Of sixteen players who bet without a pause half wait for PostgreSQL and half for us: in larger
batches one of the two waits for the other, in smaller ones each commit's own cost is shared by fewer."""

PATIENCE_S: Final = 0.1
"""How long, once or twice, items wait for a batch under way: a lock or a lost connection may hold that up."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Batcher(Generic[Item, Answer]):
    """Loads items in batches: those that arrive while a batch is under way are the next one.

    `load_all` answers a batch, item by item in its order. A batch that PostgreSQL refuses is loaded again one by one,
    for the refusal undid all of it because of one item. Any other error goes to the whole batch: what became of that
    is not known. A batch that takes long is waited for no longer; the next ones go beside it.
    Belongs to the event loop it is used on. Who cancels `load` gets no answer; the item is loaded or not.
    """

    def __init__(self, load_all: Callable[[list[Item]], Awaitable[Sequence[Answer]]]) -> None:
        self._load_all = load_all
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._leader: object | None = None
        """Who loads now and then sees to what waits: a worker, or an asker who was alone."""
        self._former: set[asyncio.Task[None]] = set()
        """Workers that took too long, until they end: asyncio itself does not keep its tasks."""
        self._was_alone = False
        """Whether the last batch was one item, and nothing came meanwhile."""
        self._batches = 0
        self._timer: asyncio.TimerHandle | None = None

    async def load(self, item: Item) -> Answer:
        """Return the answer to one item. Raises what `load_all` raised for it, or for the batch it was in."""
        if self._leader is None and self._was_alone:
            return await self._load_alone(item)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        if self._leader is None:
            self._worker_start()
        elif self._timer is None:
            self._timer_start()
        return await answer

    async def _load_alone(self, item: Item) -> Answer:
        """Load in the asker's own task: a worker and two more turns of the loop cost as much as the statement."""
        leader = self._leader = object()
        self._batches += 1
        try:
            (answer,) = await self._load_all([item])
            return answer
        finally:
            if self._leader is leader:
                self._leader = None
                if self._waiting:
                    self._worker_start()

    def _worker_start(self) -> None:
        """Have a new worker load what waits, and lead."""
        if isinstance(self._leader, asyncio.Task):
            self._former.add(self._leader)
            self._leader.add_done_callback(self._former.discard)
        self._leader = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Load batches until nothing waits, or another leads."""
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
        """Have all that waits loaded at once, if no batch has begun since the timer was started."""
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
        except Exception as error:  # noqa: BLE001  - whatever it is, nobody may wait for ever
            _refuse(batch, error)
        else:
            for (_, answer), value in answers:
                if not answer.done():
                    answer.set_result(value)


def _refuse(batch: list[tuple[Item, asyncio.Future[Answer]]], error: Exception) -> None:
    for _, answer in batch:
        if not answer.done():
            answer.set_exception(error)
