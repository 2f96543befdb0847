"""The event loop's connections to PostgreSQL: who asks gets his own answer or a refusal, whatever becomes of them."""

import asyncio
import hashlib
import socket
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

import psycopg
import pytest
from django.conf import LazySettings
from django.db import connections
from psycopg.conninfo import conninfo_to_dict

from apps.core.errors import Busy, Conflict, DomainError, InsufficientFunds, Outpaced, Refused, Unavailable
from apps.core.lines import _lines, answer_awaited
from apps.core.statement import (
    Asking,
    Batch,
    Row,
    Statement,
    answer,
    array,
    ask,
    binary,
    boolean,
    integer,
    number,
    text,
    uuid,
)
from tests.support.loop import run, tasks_end
from tests.support.postgres_proxy import Proxy, proxy_run
from tests.support.server import app_url
from tests.support.waiting import and_close

Answer = TypeVar("Answer")

CONNECTIONS = 3
NAME = "lines-of-the-test"
WAIT_S = 30
MANY_BYTES = 6_000_000
"""More than a socket takes at once."""

DOUBLE = Statement("test_double", "SELECT 2 * $1::integer", integer)
SLEEP = Statement("test_sleep", "SELECT $2::integer, pg_backend_pid() FROM pg_sleep($1::float8)", integer, integer)
DIGEST = Statement("test_digest", "SELECT length($1::text), md5($1::text)", integer, text)
REPEAT = Statement("test_repeat", "SELECT repeat($1::text, $2::integer)", text)
ECHO = Statement("test_echo", "SELECT $1::text", text)
REFUSE = Statement("test_refuse", "SELECT test_refuse($1, $2)", integer)


@pytest.fixture(autouse=True)
def few_connections(committed: None, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that have three connections each, by whose name they are told from others."""
    settings.PUNTO_SOCKET_CONNECTIONS = CONNECTIONS
    options = connections["default"].settings_dict["OPTIONS"]
    monkeypatch.setitem(options, "options", f"{options['options']} -c application_name={NAME}")


@pytest.fixture(autouse=True)
def refusals(superuser: psycopg.Connection) -> Iterator[None]:
    """A function that refuses in PostgreSQL's name; at the end the loop's connections are ended, as it does not."""
    superuser.execute(
        "CREATE FUNCTION test_refuse(code text, broken text) RETURNS integer LANGUAGE plpgsql"
        " AS $$ BEGIN RAISE EXCEPTION 'so' USING ERRCODE = code, CONSTRAINT = broken; END $$"
    )
    yield
    lines_end(superuser)
    superuser.execute("DROP FUNCTION test_refuse")


@pytest.fixture(autouse=True)
async def loop_end() -> AsyncIterator[None]:
    """End what the loop's connections are kept by, so that the loop can end; nothing may have gone wrong unheard."""
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    yield
    await tasks_end()
    assert faults == []


def lines_pids(superuser: psycopg.Connection, *, active: bool = False) -> set[int]:
    """Return the sessions of the loop's connections; with `active` those in which a statement runs."""
    rows = superuser.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"
        " AND (state = 'active' OR NOT %s)",
        [NAME, active],
    )
    return {pid for (pid,) in rows}


def lines_end(superuser: psycopg.Connection, pids: set[int] | None = None) -> set[int]:
    """End sessions of the loop's connections, all unless `pids` says which; return when they have ended."""
    ended = lines_pids(superuser) if pids is None else pids
    for pid in ended:
        superuser.execute("SELECT pg_terminate_backend(%s, 30000)", [pid])
    return ended


async def lines_await(superuser: psycopg.Connection, count: int) -> set[int]:
    """Return the sessions in which statements run as soon as there are so many."""
    async with asyncio.timeout(WAIT_S):
        while len(pids := lines_pids(superuser, active=True)) < count:  # noqa: ASYNC110  - PostgreSQL tells nobody
            await asyncio.sleep(0.01)
    return pids


async def asked(statement: Statement, *parameters: object) -> Row | None:
    """Ask one question."""
    async with asyncio.timeout(WAIT_S):
        return await answer_awaited(ask(statement, *parameters))


async def warm() -> None:
    """Have every connection stand and lie idle."""
    await asyncio.gather(*[asked(SLEEP, 0.1, number) for number in range(CONNECTIONS)])


async def all_is_well() -> None:
    """Check that as many as ever get their answers, and each his own."""
    numbers = range(20)
    assert await asyncio.gather(*[asked(DOUBLE, number) for number in numbers]) == [[2 * number] for number in numbers]


# Answers


async def test_many_more_askers_than_connections_get_each_his_own_answer(superuser: psycopg.Connection) -> None:
    rows = await asyncio.gather(*[asked(SLEEP, 0.002, number) for number in range(300)])
    assert [row[0] for row in rows if row] == list(range(300))
    pids = {row[1] for row in rows if row}
    assert pids == lines_pids(superuser)
    assert len(pids) == CONNECTIONS


async def test_askers_whose_question_is_refused_do_not_trouble_the_others() -> None:
    async def one(number: int) -> object:
        if number % 3:
            return await asked(SLEEP, 0.001, number)
        with pytest.raises(Busy):
            await asked(REFUSE, "55P03", "")
        return None

    answers = await asyncio.gather(*[one(number) for number in range(90)])
    assert [row[0] for row in answers if isinstance(row, list)] == [number for number in range(90) if number % 3]
    await all_is_well()


async def test_a_statement_larger_than_the_socket_takes_is_sent_and_answered() -> None:
    texts = [letter * MANY_BYTES for letter in "abcdef"]
    rows = await asyncio.gather(*[asked(DIGEST, sent) for sent in texts], all_is_well())
    assert rows[:-1] == [[MANY_BYTES, hashlib.md5(sent.encode()).hexdigest()] for sent in texts]


async def test_a_large_answer_arrives_whole() -> None:
    rows = await asyncio.gather(*[asked(REPEAT, letter, MANY_BYTES) for letter in "abcdef"], all_is_well())
    assert rows[:-1] == [[letter * MANY_BYTES] for letter in "abcdef"]


async def test_a_large_statement_with_a_large_answer() -> None:
    sent = "0123456789" * (MANY_BYTES // 10)
    assert await asked(ECHO, sent) == [sent]


async def test_a_statement_without_a_row_is_answered_with_none() -> None:
    assert await asked(Statement("test_none", "SELECT 1 WHERE false", integer)) is None


TYPES = Statement(
    "test_types",
    "SELECT $1::integer, $2::numeric, $3::text, $4::bytea, $5::uuid, $6::boolean, $7::integer[], $8::text",
    integer, number, text, binary, uuid, boolean, array(integer), text,
)  # fmt: skip
VALUES = [
    -7, Decimal("0.10"), 'so: "\u00e9", \\, {,}, \U0001f0a1\n', b"\x00\\\xff", UUID(int=5), "true", "{1,2}", None
]  # fmt: skip


def typed() -> Asking[Row | None]:
    """Ask for a value of each type, twice, so that a prepared statement is asked again."""
    yield from ask(TYPES, *[None] * 8)
    return (yield from ask(TYPES, *VALUES))


def test_values_arrive_as_they_were_sent_on_the_loop_and_without_one() -> None:
    expected = [*VALUES[:5], True, [1, 2], None]
    assert run(answer_awaited(typed())) == expected
    assert answer(typed()) == expected


async def test_each_loop_has_connections_of_its_own(superuser: psycopg.Connection) -> None:
    await asked(DOUBLE, 1)
    here = lines_pids(superuser)
    with ThreadPoolExecutor(1) as pool:
        row = pool.submit(and_close(lambda: run(asked(SLEEP, 0, 5)))).result(timeout=WAIT_S)
    assert row is not None
    assert row[0] == 5
    assert row[1] not in here
    await all_is_well()


# Refusals


@pytest.mark.parametrize(
    ("sqlstate", "constraint", "error"),
    [
        ("55P03", "", Busy),
        ("57014", "", Busy),
        ("40001", "", Outpaced),
        ("22003", "", Refused),
        ("53100", "", Unavailable),
        ("57P01", "", Unavailable),
        ("25006", "", Unavailable),
        ("23514", "wallet_balance_not_negative", InsufficientFunds),
        ("23505", "wallet_transaction_source_key", Conflict),
        ("23505", "game_round_one_open", Outpaced),
    ],
)
async def test_what_postgresql_refuses_is_said_in_our_words(
    sqlstate: str, constraint: str, error: type[DomainError]
) -> None:
    for _ in range(2 * CONNECTIONS):
        with pytest.raises(error) as refused:
            await asked(REFUSE, sqlstate, constraint)
        assert type(refused.value) is error
    await all_is_well()


@pytest.mark.parametrize(
    ("statement", "parameters", "error"),
    [
        (Statement("test_fault", "SELECT nothing", integer), (), psycopg.errors.UndefinedColumn),
        (Statement("test_zero", "SELECT 1 / $1::integer", integer), (0,), psycopg.errors.DivisionByZero),
        (DOUBLE, ("two",), psycopg.errors.InvalidTextRepresentation),
    ],
    ids=["not prepared", "not run", "a value that is none"],
)
async def test_a_fault_of_ours_stays_one(
    statement: Statement, parameters: tuple[object, ...], error: type[Exception]
) -> None:
    for _ in range(2):
        with pytest.raises(error):
            await asked(statement, *parameters)
    await all_is_well()


@pytest.fixture
def late(superuser: psycopg.Connection) -> Iterator[None]:
    """A table whose rows are refused at the commit, when the statement has answered already."""
    superuser.execute(
        "CREATE TABLE test_late (code text, broken text); GRANT ALL ON test_late TO PUBLIC;"
        " CREATE FUNCTION test_refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        "   IF NEW.code = 'end' THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(30); END IF;"
        "   IF NEW.code <> '' THEN PERFORM test_refuse(NEW.code, NEW.broken); END IF; RETURN NULL; END $$;"
        " CREATE CONSTRAINT TRIGGER test_late AFTER INSERT ON test_late DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION test_refuse_late()"
    )
    yield
    lines_end(superuser)
    superuser.execute("DROP TABLE test_late; DROP FUNCTION test_refuse_late()")


LATE = Statement("test_late", "INSERT INTO test_late VALUES ($1, $2) RETURNING 1", integer)
LATE_TOGETHER = Batch(
    "test_late_together",
    "WITH asked AS (SELECT * FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (code, broken, place)),"
    " written AS (INSERT INTO test_late SELECT code, broken FROM asked) SELECT place, 1 FROM asked",
    integer,
)


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("statement", [LATE, LATE_TOGETHER], ids=["alone", "together"])
@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (("55P03", ""), Busy),
        (("23505", "wallet_transaction_source_key"), Conflict),
        (("23503", "some_foreign_key"), psycopg.errors.ForeignKeyViolation),
        (("end", ""), Unavailable),
    ],
    ids=["a lock", "a key", "a foreign key", "the session's end"],
)
async def test_what_the_commit_refuses_is_refused_although_rows_came_before(
    statement: Statement, refused: tuple[str, str], error: type[Exception]
) -> None:
    for _ in range(2):
        with pytest.raises(error):
            await asked(statement, *refused)
    assert await asked(statement, "", "") == [1]
    await all_is_well()


async def test_work_may_go_on_after_a_refusal() -> None:
    def work() -> Asking[str]:
        try:
            yield from ask(REFUSE, "40001", "")
        except Outpaced:
            row = yield from ask(DOUBLE, 21)
        return f"outpaced, and then {row}"

    assert await answer_awaited(work()) == "outpaced, and then [42]"


# Connections that are lost


@pytest.mark.parametrize("lost", [1, CONNECTIONS])
async def test_connections_that_the_server_closed_while_they_lay_idle_are_replaced(
    superuser: psycopg.Connection, lost: int
) -> None:
    await warm()
    ended = lines_end(superuser, set(list(lines_pids(superuser))[:lost]))
    await asyncio.sleep(0.1)  # the loop hears of it
    rows = await asyncio.gather(*[asked(SLEEP, 0.01, number) for number in range(30)])
    assert [row[0] for row in rows if row] == list(range(30))
    assert not ended & {row[1] for row in rows if row}


async def test_connections_that_are_found_lost_as_something_is_sent_are_replaced() -> None:
    """libpq closes a connection that it finds ended as it sends, and then the loop never hears of it."""
    await warm()
    for line in _lines()._idle:
        line.link.pgconn.finish()
    answers = await asyncio.gather(*[asked(SLEEP, 0, number) for number in range(30)], return_exceptions=True)
    refused = [given for given in answers if isinstance(given, BaseException)]
    assert {type(error) for error in refused} <= {Unavailable}, refused
    assert len(refused) <= CONNECTIONS
    await all_is_well()


@pytest.mark.parametrize("lost", [1, CONNECTIONS])
async def test_connections_closed_in_the_moment_before_they_are_used(superuser: psycopg.Connection, lost: int) -> None:
    """The loop has had no time to hear of it: who asks may be refused, once for each connection, and no otherwise."""
    await warm()
    lines_end(superuser, set(list(lines_pids(superuser))[:lost]))
    answers = await asyncio.gather(*[asked(SLEEP, 0.01, number) for number in range(30)], return_exceptions=True)
    refused = [given for given in answers if isinstance(given, BaseException)]
    assert {type(error) for error in refused} <= {Unavailable}, refused
    assert len(refused) <= lost
    await all_is_well()


async def test_a_connection_lost_in_the_middle_of_a_statement_is_unavailable_to_its_asker_alone(
    superuser: psycopg.Connection,
) -> None:
    await warm()
    sleeping = [asyncio.create_task(asked(SLEEP, 2, number)) for number in range(CONNECTIONS)]
    (unlucky, *_) = await lines_await(superuser, CONNECTIONS)
    lines_end(superuser, {unlucky})
    answers = await asyncio.gather(*sleeping, return_exceptions=True)
    assert [type(given) for given in answers if isinstance(given, BaseException)] == [Unavailable]
    assert len([given for given in answers if isinstance(given, list)]) == CONNECTIONS - 1
    await all_is_well()


async def test_all_connections_lost_in_the_middle_of_statements(superuser: psycopg.Connection) -> None:
    sleeping = [asyncio.create_task(asked(SLEEP, WAIT_S, number)) for number in range(CONNECTIONS)]
    await lines_await(superuser, CONNECTIONS)
    waiting = [asyncio.create_task(asked(DOUBLE, number)) for number in range(30)]
    lines_end(superuser)
    answers = await asyncio.gather(*sleeping, return_exceptions=True)
    assert [type(given) for given in answers] == [Unavailable] * CONNECTIONS
    assert await asyncio.gather(*waiting) == [[2 * number] for number in range(30)]


async def test_a_connection_lost_while_a_large_statement_is_sent(superuser: psycopg.Connection) -> None:
    await warm()
    large = [asyncio.create_task(asked(DIGEST, "x" * 10 * MANY_BYTES)) for _ in range(CONNECTIONS)]
    await asyncio.sleep(0)  # they are under way, and the loop has sent what the sockets took at once
    lines_end(superuser)
    answers = await asyncio.gather(*large, return_exceptions=True)
    assert {type(given) for given in answers} == {Unavailable}, answers
    await all_is_well()


# Askers that go away, and such as wait


async def test_an_asker_cancelled_while_its_statement_runs_leaves_no_answer_to_the_next(
    superuser: psycopg.Connection, settings: LazySettings
) -> None:
    settings.PUNTO_SOCKET_CONNECTIONS = 1
    for place in range(5):
        sleeping = asyncio.create_task(asked(SLEEP, 0.2, -1))
        await lines_await(superuser, 1)
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        assert await asked(DOUBLE, place) == [2 * place]


async def test_an_asker_cancelled_in_the_moment_its_answer_arrives(superuser: psycopg.Connection) -> None:
    sleeping = asyncio.create_task(asked(SLEEP, 0.3, 1))
    await lines_await(superuser, 1)
    asyncio.get_running_loop().call_soon(sleeping.cancel)
    time.sleep(0.6)  # noqa: ASYNC251  - so that the loop finds both at once
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    await all_is_well()


async def test_an_asker_cancelled_just_before_its_answer_is_read_leaves_the_next_to_ask_the_same(
    superuser: psycopg.Connection, settings: LazySettings
) -> None:
    settings.PUNTO_SOCKET_CONNECTIONS = 1
    loop = asyncio.get_running_loop()
    sleeping = asyncio.create_task(asked(SLEEP, 0.3, 1))
    await lines_await(superuser, 1)
    near, far = socket.socketpair()
    with near, far:
        loop.add_reader(near, sleeping.cancel)
        far.send(b"x")
        time.sleep(0.6)  # noqa: ASYNC251  - so that the loop finds both in one turn, the cancelling first
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        loop.remove_reader(near)
    row = await asked(SLEEP, 0, 2)
    assert row is not None
    assert row[0] == 2


async def test_askers_cancelled_at_any_moment_leave_no_answer_to_others() -> None:
    async def one(number: int) -> None:
        task = asyncio.create_task(asked(SLEEP, 0.003, number))
        await asyncio.sleep(number % 20 / 2000)
        if number % 2:
            task.cancel()
        try:
            row = await task
        except asyncio.CancelledError:
            return
        assert row is not None
        assert row[0] == number

    await asyncio.gather(*[one(number) for number in range(200)])
    await all_is_well()


async def test_an_asker_cancelled_while_it_waits_for_a_connection_takes_none(superuser: psycopg.Connection) -> None:
    sleeping = [asyncio.create_task(asked(SLEEP, 0.5, number)) for number in range(CONNECTIONS)]
    await lines_await(superuser, CONNECTIONS)
    waiting = [asyncio.create_task(asked(SLEEP, WAIT_S, number)) for number in range(10)]
    await asyncio.sleep(0.05)
    for task in waiting:
        task.cancel()
    given = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(error) for error in given} == {asyncio.CancelledError}
    assert [row[0] for row in await asyncio.gather(*sleeping) if row] == list(range(CONNECTIONS))
    assert not lines_pids(superuser, active=True)
    await all_is_well()


@pytest.fixture
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second for a connection."""
    monkeypatch.setitem(connections["default"].settings_dict["OPTIONS"], "pool", {"timeout": 0.5})


@pytest.mark.usefixtures("short_wait")
async def test_who_waits_too_long_for_a_free_connection_is_refused_and_the_next_is_not(
    superuser: psycopg.Connection,
) -> None:
    sleeping = [asyncio.create_task(asked(SLEEP, 1.5, number)) for number in range(CONNECTIONS)]
    await lines_await(superuser, CONNECTIONS)
    late = await asyncio.gather(*[asked(DOUBLE, number) for number in range(10)], return_exceptions=True)
    assert [type(given) for given in late] == [Unavailable] * 10
    assert [row[0] for row in await asyncio.gather(*sleeping) if row] == list(range(CONNECTIONS))
    await all_is_well()


@pytest.fixture
def door(short_wait: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """What stands between the loops and PostgreSQL, to be shut."""
    database: dict[str, Any] = connections["default"].settings_dict
    with proxy_run(app_url()) as proxy:
        for name, value in (("HOST", "127.0.0.1"), ("PORT", conninfo_to_dict(proxy.url)["port"])):
            monkeypatch.setitem(database, name, value)
        yield proxy


async def test_without_a_postgresql_who_asks_is_refused_and_with_it_again_answered(door: Proxy) -> None:
    await all_is_well()
    door.shut()
    given = await asyncio.gather(*[asked(DOUBLE, number) for number in range(10)], return_exceptions=True)
    assert [type(error) for error in given] == [Unavailable] * 10
    door.open()
    async with asyncio.timeout(WAIT_S):
        while not await is_well():  # the pool tries again at growing distances
            pass


async def is_well() -> bool:
    """Say whether all are answered; any may be refused for want of a PostgreSQL."""
    try:
        await all_is_well()
    except Unavailable:
        return False
    return True


# Questions that go together


ODD = Batch(
    "test_odd",
    "SELECT place, value, 1 / divisor FROM unnest($1::text[], $2::integer[])"
    " WITH ORDINALITY AS asked (value, divisor, place) WHERE divisor <> 7 OR divisor IS NULL",
    text,
    integer,
)
UNREADABLE = Batch(
    "test_unreadable", "SELECT place, 'x' FROM unnest($1::text[]) WITH ORDINALITY AS t (x, place)", integer
)


async def at_once(statement: Statement, *questions: tuple[object, ...]) -> list[Any]:
    async with asyncio.timeout(WAIT_S):
        asking = [answer_awaited(ask(statement, *parameters)) for parameters in questions]
        return await asyncio.gather(*asking, return_exceptions=True)


TEXTS = ["", "NULL", 'a "quote"', "a \\ and a {brace}, a comma", "two\nlines", "Ünï", None, "'", "x" * 100_000]


async def test_each_of_many_questions_gets_its_own_answer() -> None:
    assert await at_once(ODD, *[(value, 1) for value in TEXTS]) == [[value, 1] for value in TEXTS]


def test_the_same_question_alone_gets_the_same_answer() -> None:
    assert [answer(ask(ODD, value, 1)) for value in TEXTS] == [[value, 1] for value in TEXTS]


async def test_a_question_without_a_row_is_answered_none() -> None:
    assert await at_once(ODD, ("a", 1), ("b", 7), ("c", None)) == [["a", 1], None, ["c", None]]


async def test_a_question_that_is_refused_spoils_no_other() -> None:
    first, second, third = await at_once(ODD, ("a", 1), ("b", 0), ("c", 1))
    assert (first, third) == (["a", 1], ["c", 1])
    assert isinstance(second, psycopg.errors.DivisionByZero)


async def test_an_answer_that_we_cannot_read_leaves_nobody_waiting() -> None:
    errors = await at_once(UNREADABLE, ("a",), ("b",))
    assert [type(error) for error in errors] == [ValueError, ValueError]
    assert await at_once(ODD, ("a", 1)) == [["a", 1]]


LONG = Batch(
    "test_long",
    "SELECT place, 1 FROM unnest($1::float8[]) WITH ORDINALITY AS asked (seconds, place), pg_sleep(seconds)",
    integer,
)


async def test_who_comes_after_a_question_that_takes_long_does_not_wait_for_it() -> None:
    long = asyncio.create_task(asked(LONG, 3))
    await asyncio.sleep(0.01)
    for _ in range(3):
        assert await at_once(LONG, *[(0,)] * 20) == [[1]] * 20
    assert not long.done()
    assert await long == [1]


async def test_without_a_postgresql_however_many_ask_are_refused_in_time(door: Proxy) -> None:
    await all_is_well()
    door.shut()
    # One after the other, eight at a time and half a second each, they would be refused long after `at_once` gives up.
    given = await at_once(ODD, *[("a", 1)] * 800)
    assert {type(error) for error in given} == {Unavailable}
