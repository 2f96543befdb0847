"""The event loop's pool: lost, closed and frozen connections, and cancelled callers."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from django.conf import LazySettings
from django.db import connections
from psycopg.conninfo import conninfo_to_dict

from apps.core.errors import Unavailable
from apps.core.postgres_pool import pool, pool_close
from casino.settings.waits import WAIT_S
from tests.support.pool import (
    CONNECTIONS,
    DOUBLE,
    PASS_GATE,
    Gate,
    all_is_well,
    asked,
    fetched,
    few_connections_set,
    gate_held,
    pool_arguments_set,
    pool_watched,
    sessions,
    sessions_end,
    until,
)
from tests.support.postgres_proxy import Proxy, proxy_run
from tests.support.server import app_url

MANY_BYTES = 20_000_000
"""Far more than a socket's buffer holds."""

SLEEP = "SELECT $2::integer, pg_backend_pid() FROM pg_sleep($1::float8)"
DOUBLE_ALL = (
    "SELECT item.place, 2 * item.number FROM ROWS FROM (json_to_recordset($1) AS (number integer))"
    " WITH ORDINALITY AS item (number, place)"
)


@pytest.fixture(autouse=True)
def few_connections(committed: None, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pools of three connections."""
    few_connections_set(settings, monkeypatch)


@pytest.fixture(autouse=True)
async def watched(few_connections: None, superuser: psycopg.Connection) -> AsyncIterator[None]:
    """Close the pool at the end, and check that nothing is left of it."""
    async with pool_watched(superuser):
        yield


@pytest.fixture
def gate(superuser: psycopg.Connection) -> Iterator[Gate]:
    """The lock that PASS_GATE waits for until the test opens it."""
    yield from gate_held(superuser)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Timeouts of one second for connections and statements. On a busy machine any statement may then be refused."""
    pool_arguments_set(monkeypatch, timeout=1, command_timeout=1)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy between the pools and PostgreSQL. It has no TLS, since asyncpg leaks an error if it is cancelled during
    the TLS request.
    """
    database = connections["default"].settings_dict
    pool_arguments_set(monkeypatch, ssl=False)
    with proxy_run(app_url()) as proxy:
        for name, value in (("HOST", "127.0.0.1"), ("PORT", conninfo_to_dict(proxy.url)["port"])):
            monkeypatch.setitem(database, name, value)
        yield proxy


async def warm(gate: Gate) -> set[int]:
    """Open every connection and leave it idle; return the sessions."""
    waiting = [asyncio.create_task(fetched(PASS_GATE, number)) for number in range(CONNECTIONS)]
    pids = await gate.reached(CONNECTIONS)
    gate.open()
    await asyncio.gather(*waiting)
    return pids


async def well_again() -> None:
    """Return as soon as all statements are answered; until then any may be refused."""
    async with asyncio.timeout(WAIT_S):
        while True:
            try:
                return await all_is_well()
            except Unavailable:
                continue


async def refused_alone(*tasks: asyncio.Task[object]) -> int:
    """Wait for all, and return the number of those that were refused with Unavailable, the only allowed error."""
    async with asyncio.timeout(WAIT_S):
        given = await asyncio.gather(*tasks, return_exceptions=True)
    errors = [one for one in given if isinstance(one, BaseException)]
    assert {type(error) for error in errors} <= {Unavailable}, errors
    return len(errors)


def fetches(sql: str, count: int) -> list[asyncio.Task[object]]:
    """Begin this number of fetches, with the numbers from 0 on."""
    return [asyncio.create_task(fetched(sql, number)) for number in range(count)]


# Lost connections


@pytest.mark.parametrize("lost", [1, CONNECTIONS])
async def test_connections_that_the_server_closed_while_idle_are_replaced(
    superuser: psycopg.Connection, gate: Gate, lost: int
) -> None:
    pids = await warm(gate)
    ended = sessions_end(superuser, set(list(pids)[:lost]))
    await until(lambda: sum(not one.is_usable for one in pool()._idle) == lost)  # the loop has noticed it
    rows = await asyncio.gather(*[fetched(SLEEP, 0, number) for number in range(30)])
    assert [row[0] for (row,) in rows] == list(range(30))
    assert not ended & {row[1] for (row,) in rows}


@pytest.mark.parametrize("lost", [1, CONNECTIONS])
async def test_connections_closed_just_before_use_refuse_one_statement_each(
    superuser: psycopg.Connection, gate: Gate, lost: int
) -> None:
    """The loop has not noticed it yet, so one statement for each connection may be refused."""
    pids = await warm(gate)
    sessions_end(superuser, set(list(pids)[:lost]))
    assert await refused_alone(*fetches(DOUBLE, 30)) <= lost
    await all_is_well()


async def test_a_connection_lost_during_a_statement_is_unavailable_to_its_caller_alone(
    superuser: psycopg.Connection, gate: Gate
) -> None:
    waiting = fetches(PASS_GATE, CONNECTIONS)
    (unlucky, *_) = await gate.reached(CONNECTIONS)
    sessions_end(superuser, {unlucky})
    gate.open()
    assert await refused_alone(*waiting) == 1
    await all_is_well()


async def test_all_connections_lost_during_statements_are_replaced(superuser: psycopg.Connection, gate: Gate) -> None:
    lost = fetches(PASS_GATE, CONNECTIONS)
    await gate.reached(CONNECTIONS)
    waiting = fetches(DOUBLE, 30)
    sessions_end(superuser)
    assert await refused_alone(*lost) == CONNECTIONS
    assert await asyncio.gather(*waiting) == [[(2 * number,)] for number in range(30)]


async def test_a_connection_lost_while_sending_a_large_statement_is_unavailable(
    superuser: psycopg.Connection, gate: Gate
) -> None:
    await warm(gate)
    large = [asyncio.create_task(fetched("SELECT length($1::text)", "x" * MANY_BYTES)) for _ in range(CONNECTIONS)]
    await asyncio.sleep(0)  # the statements are in flight, and the sockets' buffers are full
    sessions_end(superuser)
    assert await refused_alone(*large) == CONNECTIONS
    await all_is_well()


async def test_a_batch_whose_answer_is_lost_is_refused_and_not_repeated(
    superuser: psycopg.Connection, proxy: Proxy
) -> None:
    superuser.execute("CREATE TABLE test_written (number integer); GRANT ALL ON test_written TO PUBLIC")
    sql = (
        "WITH item AS (SELECT * FROM ROWS FROM (json_to_recordset($1) AS (number integer)) WITH ORDINALITY"
        " AS item (number, place)), written AS (INSERT INTO test_written SELECT number FROM item)"
        " SELECT place, number FROM item"
    )
    try:
        assert await asked(sql, {"number": 0}, {"number": 1}) == [(0,), (1,)]
        hold = proxy.hold(b'"number":3', after=True)
        lost = [asyncio.create_task(pool().query(sql, {"number": number})) for number in (2, 3, 4)]
        assert await asyncio.to_thread(hold.reached.wait, WAIT_S)
        proxy.drop()
        assert await refused_alone(*lost) == 3
        written = superuser.execute("SELECT number FROM test_written ORDER BY number").fetchall()
        assert written == [(0,), (1,), (2,), (3,), (4,)]
    finally:
        superuser.execute("DROP TABLE test_written")


async def test_a_connection_lost_in_a_transaction_is_unavailable_and_the_next_works(
    superuser: psycopg.Connection,
) -> None:
    async def transact() -> None:
        async with pool().transaction() as transaction:
            sessions_end(superuser)
            await transaction.fetch(DOUBLE, 1)

    with pytest.raises(Unavailable):
        await transact()
    await all_is_well()


async def test_a_connection_lost_before_the_commit_is_unavailable(superuser: psycopg.Connection) -> None:
    async def transact() -> None:
        async with pool().transaction() as transaction:
            await transaction.fetch(DOUBLE, 1)
            sessions_end(superuser)

    with pytest.raises(Unavailable):
        await transact()
    await all_is_well()


async def test_a_connection_lost_during_a_rollback_leaves_the_error_that_caused_it(
    superuser: psycopg.Connection,
) -> None:
    async def transact() -> None:
        async with pool().transaction():
            sessions_end(superuser)
            raise LookupError

    with pytest.raises(LookupError):
        await transact()
    await all_is_well()


# PostgreSQL is unavailable or does not answer


async def test_without_postgresql_statements_are_refused_and_afterwards_answered(proxy: Proxy) -> None:
    await all_is_well()
    proxy.shut()
    assert await refused_alone(*fetches(DOUBLE, 10)) == 10
    proxy.open()
    await all_is_well()


async def test_without_postgresql_any_number_of_statements_is_refused_in_time(proxy: Proxy) -> None:
    await all_is_well()
    proxy.shut()
    # If they waited in turn, eight at a time for half a second each, the refusals would come long after the limit of
    # `asked`.
    given = await asked(DOUBLE_ALL, *[{"number": 1}] * 800)
    assert {type(error) for error in given} == {Unavailable}


async def test_a_postgresql_that_accepts_no_connection_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    pool_arguments_set(monkeypatch, database="nothing-of-this-name")
    assert await refused_alone(*fetches(DOUBLE, 10)) == 10
    given = await asked(DOUBLE_ALL, *[{"number": 1}] * 10)
    assert {type(error) for error in given} == {Unavailable}


@pytest.mark.usefixtures("impatient")
async def test_statements_in_a_frozen_postgresql_are_refused_and_later_ones_answered(
    proxy: Proxy, superuser: psycopg.Connection
) -> None:
    await well_again()
    former = sessions(superuser)
    proxy.freeze()
    together = [asyncio.create_task(pool().query(DOUBLE_ALL, {"number": 1})) for _ in range(20)]
    assert await refused_alone(*fetches(DOUBLE, 10), *together) == 30
    proxy.thaw()
    await well_again()
    await until(lambda: not former & sessions(superuser))


@pytest.mark.usefixtures("impatient")
async def test_a_postgresql_that_freezes_during_connects_is_unavailable(proxy: Proxy) -> None:
    proxy.freeze()
    assert await refused_alone(*fetches(DOUBLE, 10)) == 10
    proxy.thaw()
    await well_again()


@pytest.mark.usefixtures("impatient")
async def test_a_transaction_in_a_frozen_postgresql_is_unavailable(proxy: Proxy) -> None:
    async def transact() -> None:
        async with pool().transaction() as transaction:
            proxy.freeze()
            await transaction.fetch(DOUBLE, 1)

    await well_again()
    with pytest.raises(Unavailable):
        await transact()
    proxy.thaw()
    await well_again()


async def test_one_frozen_connection_delays_its_own_batch_alone(proxy: Proxy) -> None:
    await all_is_well()
    hold = proxy.hold(b'"number":4711')
    held = asyncio.create_task(pool().query(DOUBLE_ALL, {"number": 4711}))
    assert await asyncio.to_thread(hold.reached.wait, WAIT_S)
    for _ in range(3):
        assert await asked(DOUBLE_ALL, *[{"number": number} for number in range(20)]) == [(2 * n,) for n in range(20)]
    assert not held.done()
    proxy.drop()
    assert await refused_alone(held) == 1
    await all_is_well()


@pytest.mark.usefixtures("impatient", "gate")
async def test_a_statement_that_times_out_is_unavailable_and_its_connection_is_closed() -> None:
    await well_again()
    late = fetches(PASS_GATE, CONNECTIONS)
    assert len(pool()._idle) == CONNECTIONS
    assert await refused_alone(*late) == CONNECTIONS
    assert not pool()._idle
    await well_again()


# Cancelled and waiting callers


async def test_a_caller_cancelled_during_its_statement_leaves_no_answer_to_the_next(
    superuser: psycopg.Connection, settings: LazySettings, gate: Gate
) -> None:
    settings.PUNTO_SOCKET_CONNECTIONS = 1
    for number in range(5):
        task = asyncio.create_task(fetched(PASS_GATE, -1))
        await gate.reached(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await fetched(DOUBLE, number) == [(2 * number,)]


def answered_unread(superuser: psycopg.Connection, gate: Gate) -> None:
    """Open the gate and block the loop until PostgreSQL has answered the waiting statements."""
    gate.open()
    deadline = time.monotonic() + WAIT_S
    while sessions(superuser, "state = 'active'"):
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def test_a_caller_can_be_cancelled_at_the_moment_its_answer_arrives(
    superuser: psycopg.Connection, gate: Gate
) -> None:
    task = asyncio.create_task(fetched(PASS_GATE, 1))
    await gate.reached(1)
    asyncio.get_running_loop().call_soon(task.cancel)
    answered_unread(superuser, gate)  # so that the loop finds answer and cancellation at once
    with pytest.raises(asyncio.CancelledError):
        await task
    await all_is_well()


async def test_a_caller_cancelled_before_its_answer_is_read_lets_the_next_send_the_same_statement(
    superuser: psycopg.Connection, settings: LazySettings, gate: Gate
) -> None:
    settings.PUNTO_SOCKET_CONNECTIONS = 1
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(fetched(PASS_GATE, 1))
    await gate.reached(1)
    near, far = socket.socketpair()
    with near, far:
        loop.add_reader(near, task.cancel)
        far.send(b"x")
        answered_unread(superuser, gate)  # so that the loop finds both in one iteration
        with pytest.raises(asyncio.CancelledError):
            await task
        loop.remove_reader(near)
    assert (await fetched(PASS_GATE, 2))[0][0] == 2


@pytest.mark.parametrize("together", [False, True])
async def test_callers_cancelled_at_any_moment_leave_no_answer_to_others(together: bool) -> None:
    async def ask(number: int) -> int:
        if together:
            row = await pool().query(DOUBLE_ALL, {"number": number})
            assert row is not None
            return int(row[0])
        return int((await fetched(DOUBLE, number))[0][0])

    async def one(number: int) -> None:
        task = asyncio.create_task(ask(number))
        await asyncio.sleep(number % 20 / 2000)
        if number % 2:
            task.cancel()
        try:
            assert await task == 2 * number
        except asyncio.CancelledError:
            return

    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*[one(number) for number in range(200)])
    await all_is_well()


async def test_a_caller_cancelled_while_it_waits_for_a_connection_takes_none(
    superuser: psycopg.Connection, gate: Gate
) -> None:
    running = fetches(PASS_GATE, CONNECTIONS)
    await gate.reached(CONNECTIONS)
    waiting = fetches(PASS_GATE, 10)
    later = fetches(DOUBLE, 1)
    await asyncio.sleep(0)  # the tasks have begun, and wait
    for task in waiting:
        task.cancel()
    given = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(error) for error in given} == {asyncio.CancelledError}
    gate.open()
    assert await refused_alone(*running, *later) == 0
    assert len(sessions(superuser)) == CONNECTIONS
    await all_is_well()


async def test_a_caller_cancelled_at_the_moment_it_gets_a_connection_passes_it_on(gate: Gate) -> None:
    async def run_and_cancel() -> None:
        await fetched(PASS_GATE, 1)
        for task in unlucky:
            task.cancel()  # the returned connection is lent to the first of them, which has not resumed yet

    running = [asyncio.create_task(run_and_cancel()) for _ in range(CONNECTIONS)]
    await gate.reached(CONNECTIONS)
    unlucky = fetches(DOUBLE, CONNECTIONS)
    later = fetches(DOUBLE, 10)
    await asyncio.sleep(0)
    gate.open()
    assert await refused_alone(*running, *later) == 0
    assert all(task.cancelled() for task in unlucky)
    await all_is_well()
    assert len(pool()._idle) == CONNECTIONS


async def test_a_caller_cancelled_during_its_connect_leaves_room_for_others(
    proxy: Proxy, superuser: psycopg.Connection
) -> None:
    proxy.freeze()
    tasks = fetches(DOUBLE, CONNECTIONS)
    await until(lambda: proxy.clients == CONNECTIONS)
    for task in tasks:
        task.cancel()
    given = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(error) for error in given} == {asyncio.CancelledError}
    proxy.thaw()
    await all_is_well()


async def test_a_caller_cancelled_in_a_transaction_rolls_it_back(superuser: psycopg.Connection, gate: Gate) -> None:
    superuser.execute("CREATE TABLE test_number AS SELECT 1 AS number; GRANT ALL ON test_number TO PUBLIC")

    async def transact() -> None:
        async with pool().transaction() as transaction:
            await transaction.fetch("UPDATE test_number SET number = 2")
            await transaction.fetch(PASS_GATE, 1)

    try:
        task = asyncio.create_task(transact())
        await gate.reached(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.open()
        # It waits for the lock until PostgreSQL has noticed that the other client is gone.
        sql = "UPDATE test_number SET number = number + 10 RETURNING number"
        assert await fetched(sql) == [(11,)]
    finally:
        superuser.execute("DROP TABLE test_number")


async def test_a_caller_that_waits_too_long_for_a_connection_is_refused_and_the_next_is_not(gate: Gate) -> None:
    running = fetches(PASS_GATE, CONNECTIONS)
    await gate.reached(CONNECTIONS)
    patience_s = pool()._arguments["timeout"]
    pool()._arguments["timeout"] = 0.1
    assert await refused_alone(*fetches(DOUBLE, 10)) == 10
    pool()._arguments["timeout"] = patience_s  # A slow machine may need longer for what is not refused.
    gate.open()
    assert await refused_alone(*running) == 0
    await all_is_well()


async def test_a_transaction_that_rests_too_long_is_ended_and_its_locks_are_free(superuser: psycopg.Connection) -> None:
    superuser.execute("CREATE TABLE test_number AS SELECT 1 AS number; GRANT ALL ON test_number TO PUBLIC")

    async def rest() -> None:
        async with pool().transaction() as transaction:
            await transaction.fetch("SELECT set_config('idle_in_transaction_session_timeout', '100', true)")
            await transaction.fetch("UPDATE test_number SET number = 2")
            await until(lambda: not sessions(superuser))
            assert superuser.execute("SELECT number FROM test_number FOR UPDATE NOWAIT").fetchone() == (1,)
            await transaction.fetch("SELECT 1")

    try:
        with pytest.raises(Unavailable):
            await rest()
        await all_is_well()
    finally:
        superuser.execute("DROP TABLE test_number")


# Closing


async def test_a_closed_pool_closes_lent_connections_when_they_are_returned(
    superuser: psycopg.Connection, gate: Gate
) -> None:
    running = fetches(PASS_GATE, CONNECTIONS - 1)
    await gate.reached(CONNECTIONS - 1)
    await fetched(DOUBLE, 1)
    await pool_close()
    await until(lambda: len(sessions(superuser)) == CONNECTIONS - 1)
    gate.open()
    assert await refused_alone(*running) == 0
    await until(lambda: not sessions(superuser))
    await all_is_well()


async def test_a_pool_of_a_frozen_postgresql_can_be_closed(proxy: Proxy, gate: Gate) -> None:
    await warm(gate)
    pool()._arguments["timeout"] = 0.1
    proxy.freeze()
    async with asyncio.timeout(WAIT_S):
        await pool_close()
    proxy.thaw()
