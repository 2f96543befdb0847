"""Carries out requests to change tables, with a queue for each table: requests that arrive together become one write.

A change is computed without a lock from the cached table, and written if that is still current. Otherwise the table is
read and the change computed again. If the table has changed again, its row is locked and the change is computed a last
time. Events are delivered only after the commit.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

from django.conf import settings

from apps.core.errors import Refused, SessionTakenOver, StaleState
from apps.core.player_changes import player_changed_now
from apps.core.postgres_pool import Executor, pool
from apps.tables.change_items import ChangeEvents, change_events, notices_of
from apps.tables.engine.state import ActionRefusal, TableChange, TableContext
from apps.tables.errors import AuthExpired
from apps.tables.event_feed import delivery_publish, feed_version
from apps.tables.session_store import caller_check, message_take
from apps.tables.store import MessageUsed, seats_to_act, table_load, table_lock, table_recall, table_save
from apps.tables.table_snapshot import Caller, Delivery, Notice, TableSnapshot

MAX_REQUESTS_TOGETHER: Final = 8
"""The most requests in one write."""
GATHER_S: Final = 0.003
"""The time that a request waits for those of other seats, if several seats may act: one write for all costs far
less."""

Work = Callable[[TableSnapshot, TableContext], TableChange[Any]]
Answer = Callable[[ActionRefusal | None, Sequence[Notice]], None]


async def table_change(
    table_id: str, work: Work, *, caller: Caller | None = None, answer: Answer | None = None
) -> None:
    """Carry out `work`. After the commit `answer` is called, and then the events are delivered.

    Raises what `work` raises, MessageUsed, AuthExpired, SessionTakenOver, TableNotFound, Busy: nothing is changed then.
    Unavailable: the change may have been written.
    """
    request = _Request(work, caller, answer, asyncio.get_running_loop().create_future())
    _queue_of(table_id).add(request)
    await request.done


def table_lock_of(table_id: str) -> asyncio.Lock:
    """Return the lock under which this process changes the table."""
    key = (id(asyncio.get_running_loop()), table_id)
    lock = _locks.get(key)
    if lock is None:
        lock = _locks[key] = asyncio.Lock()
    return lock


def table_context(snapshot: TableSnapshot) -> TableContext:
    """Return the context of a transition, with the settings of this server."""
    return snapshot.context(drop_ms=int(settings.PUNTO_TABLE_DROP_S) * 1000)


class _Request(NamedTuple):
    """A request for one change."""

    work: Work
    caller: Caller | None
    answer: Answer | None
    done: asyncio.Future[None]

    def fail(self, error: Exception) -> None:
        """Raise the error in the caller that waits for the change."""
        if not self.done.done():
            self.done.set_exception(error)


class _Outcome(NamedTuple):
    """The outcome of a request that was carried out."""

    request: _Request
    refusal: ActionRefusal | None
    again: Sequence[Notice]
    """The events that are repeated for the caller although the table has not changed."""


class _Batch:
    """The requests of one write, computed one after the other from a snapshot."""

    def __init__(self, before: TableSnapshot) -> None:
        self.before = before
        self.after = before
        self.changes: list[TableChange[Any]] = []
        """The outcomes that change the table."""
        self.events = ChangeEvents([], [])
        self.outcomes: list[_Outcome] = []
        self.failures: list[tuple[_Request, Exception]] = []

    def work(self, requests: Sequence[_Request]) -> None:
        """Compute the outcomes of all requests."""
        callers = iter(self.before.callers)
        used: set[tuple[int, str]] = set()
        for request in requests:
            try:
                if request.caller is not None:
                    _caller_check(request.caller, None if self.before.is_recalled else next(callers), used)
                self._work_one(request)
            except Exception as error:  # noqa: BLE001  - it is raised in the caller that waits
                self.failures.append((request, error))

    def _work_one(self, request: _Request) -> None:
        change = request.work(self.after, table_context(self.after))
        again: Sequence[Notice] = ()
        if change.state is self.after.state:
            again = notices_of(self.after, change.events)
        else:
            notices, stored = change_events(self.after, change)
            self.events.notices.extend(notices)
            self.events.stored.extend(stored)
            self.changes.append(change)
            self.after = self.after.after(change)
        self.outcomes.append(_Outcome(request, change.refusal, again))

    @property
    def is_certain(self) -> bool:
        """Whether the batch may be written without reading the table first.

        A refusal, or a request that changes nothing, is certain only if the table was read.
        """
        return bool(self.changes) and not self.failures and all(done.refusal is None for done in self.outcomes)

    def change(self) -> TableChange[Any]:
        """Return all changes as one."""
        if len(self.changes) == 1:
            return self.changes[0]
        return TableChange(
            state=self.after.state,
            movements=tuple(move for change in self.changes for move in change.movements),
            actions=tuple(row for change in self.changes for row in change.actions),
            opened=tuple(opened for change in self.changes for opened in change.opened),
            closed=tuple(closed for change in self.changes for closed in change.closed),
            chains=tuple(chain for change in self.changes for chain in change.chains),
            freed=tuple(freed for change in self.changes for freed in change.freed),
        )

    async def write(self, executor: Executor) -> Delivery | None:
        """Write the change and the messages' ids. Raises StaleState, Unavailable."""
        callers = [done.request.caller for done in self.outcomes if done.request.caller is not None]
        if self.changes:
            return await table_save(executor, self.before, self.change(), events=self.events, callers=callers)
        for done in list(self.outcomes):
            if done.request.caller is not None:
                try:
                    await message_take(executor, done.request.caller)
                except (AuthExpired, SessionTakenOver, MessageUsed) as error:
                    # It concerns only this caller: the messages of others are used by now.
                    self.outcomes.remove(done)
                    self.failures.append((done.request, error))
        return None


class _TableQueue:
    """The waiting requests of one table, and the task that carries them out while there are any."""

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self._lock = table_lock_of(table_id)
        self._waiting: list[_Request] = []
        self._arrived = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    def add(self, request: _Request) -> None:
        """Carry the request out together with those that arrive at the same time."""
        self._waiting.append(request)
        self._arrived.set()
        if self._worker is None:
            self._worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        try:
            while self._waiting:
                async with self._lock:
                    await self._gather()
                    requests = self._waiting[:MAX_REQUESTS_TOGETHER]
                    del self._waiting[:MAX_REQUESTS_TOGETHER]
                    await _requests_do(self.table_id, requests)
        finally:
            self._worker = None

    async def _gather(self) -> None:
        """Wait a moment if more seats may act than have done so."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                while len(self._waiting) < min(seats_to_act(self.table_id), MAX_REQUESTS_TOGETHER):
                    self._arrived.clear()
                    await self._arrived.wait()


async def _requests_do(table_id: str, requests: list[_Request]) -> None:
    """Carry requests out, answer them, and deliver the events."""
    try:
        batch, delivery = await _written(table_id, requests)
    except (StaleState, Refused) as error:
        # The database refuses the whole write, also where a switch is off for one of the players alone.
        if len(requests) == 1:
            requests[0].fail(error)
            return
        for request in requests:
            await _requests_do(table_id, [request])
    except Exception as error:  # noqa: BLE001  - every waiting caller gets an answer
        for request in requests:
            request.fail(error)
    else:
        await _answer_all(batch, delivery)


async def _answer_all(batch: _Batch, delivery: Delivery | None) -> None:
    """Answer requests that are carried out, and deliver the events."""
    for request, failure in batch.failures:
        request.fail(failure)
    for done in batch.outcomes:
        if done.request.answer is not None:
            try:
                done.request.answer(done.refusal, done.again)
            except Exception as error:  # noqa: BLE001  - it is raised where the change was asked for
                done.request.fail(error)
    if delivery is not None:
        for player in {move.player for change in batch.changes for move in change.movements}:
            player_changed_now(int(player))
        await delivery_publish(delivery)
    for done in batch.outcomes:
        if not done.request.done.done():
            done.request.done.set_result(None)


async def _written(table_id: str, requests: list[_Request]) -> tuple[_Batch, Delivery | None]:
    recalled = table_recall(table_id, least_version=feed_version(table_id))
    if recalled is not None:
        batch = _Batch(recalled)
        batch.work(requests)
        if batch.is_certain:
            try:
                return batch, await batch.write(pool())
            except StaleState:
                pass
    try:
        return await _read_and_written(pool(), table_id, requests)
    except StaleState:
        if len(requests) > 1:
            raise  # the caller then carries out each request by itself
        async with pool().transaction() as transaction:
            await table_lock(transaction, table_id)
            return await _read_and_written(transaction, table_id, requests)


async def _read_and_written(
    executor: Executor, table_id: str, requests: list[_Request]
) -> tuple[_Batch, Delivery | None]:
    callers = [request.caller for request in requests if request.caller is not None]
    batch = _Batch(await table_load(executor, table_id, callers))
    batch.work(requests)
    return batch, await batch.write(executor)


def _caller_check(caller: Caller, standing: Any, used: set[tuple[int, str]]) -> None:
    """Raise as `caller_check` does, and also for a message that comes twice in one batch."""
    if standing is not None:
        caller_check(is_live=standing.is_live, is_held=standing.is_held, is_used=standing.is_used)
    key = (caller.session_id, caller.message_id)
    if key in used:
        raise MessageUsed("this messageId was used before")
    used.add(key)


def _queue_of(table_id: str) -> _TableQueue:
    key = (id(asyncio.get_running_loop()), table_id)
    queue = _queues.get(key)
    if queue is None:
        queue = _queues[key] = _TableQueue(table_id)
    return queue


_locks: Final[WeakValueDictionary[tuple[int, str], asyncio.Lock]] = WeakValueDictionary()
_queues: Final[WeakValueDictionary[tuple[int, str], _TableQueue]] = WeakValueDictionary()
