"""The event loop's pool: answers, refusals, transactions."""

import asyncio
import hashlib
import socket
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import asyncpg
import psycopg
import pytest
from django.conf import LazySettings
from django.db import connection, connections
from psycopg.conninfo import conninfo_to_dict

from apps.core.database_grants import APP_ROLE
from apps.core.errors import (
    AmountTooLarge,
    Busy,
    Conflict,
    DomainError,
    InsufficientFunds,
    MovementRepeated,
    StaleState,
    Unavailable,
)
from apps.core.postgres_pool import pool, pool_close
from casino import env
from casino.settings.waits import WAIT_S
from tests.support.loop import run
from tests.support.pool import (
    CONNECTIONS,
    DOUBLE,
    NAME,
    PASS_GATE,
    PID,
    Gate,
    all_is_well,
    asked,
    fetched,
    few_connections_set,
    gate_held,
    pool_arguments_set,
    pool_watched,
    sessions,
)
from tests.support.postgres_proxy import proxy_run
from tests.support.server import app_url
from tests.support.waiting import and_close

MANY_BYTES = 6_000_000
"""More than a socket's buffer holds."""

REFUSE = "SELECT test_refuse($1, $2)"
ODD = (
    "SELECT item.place, item.value, 1 / item.divisor FROM ROWS FROM"
    " (json_to_recordset($1) AS (value text, divisor integer)) WITH ORDINALITY AS item (value, divisor, place)"
    " WHERE item.divisor <> 7 OR item.divisor IS NULL"
)
TEXTS = [
    "",
    "NULL",
    'a "quote"',
    "a \\ and a {brace}, a comma",
    "two\nlines",
    "\u00dcn\u00ef",
    None,
    "'",
    "x" * 100_000,
]


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
def refusals(superuser: psycopg.Connection) -> Iterator[None]:
    """A function of PostgreSQL that raises errors."""
    superuser.execute(
        "CREATE FUNCTION test_refuse(code text, broken text) RETURNS integer LANGUAGE plpgsql"
        " AS $$ BEGIN RAISE EXCEPTION 'so' USING ERRCODE = code, CONSTRAINT = broken; END $$"
    )
    yield
    superuser.execute("DROP FUNCTION test_refuse")


# Answers


async def test_many_more_callers_than_connections_each_get_their_own_answer(superuser: psycopg.Connection) -> None:
    sql = "SELECT $1::integer, pg_backend_pid() FROM pg_sleep(0.002)"
    rows = await asyncio.gather(*[fetched(sql, number) for number in range(300)])
    assert [row[0] for (row,) in rows] == list(range(300))
    pids = {row[1] for (row,) in rows}
    assert pids == sessions(superuser)
    assert len(pids) == CONNECTIONS


async def test_connections_are_opened_on_demand_and_the_last_used_is_lent_first(
    superuser: psycopg.Connection, gate: Gate
) -> None:
    ((first,),) = await fetched(PID)
    assert [await fetched(PID) for _ in range(5)] == [[(first,)]] * 5
    assert sessions(superuser) == {first}
    waiting = [asyncio.create_task(fetched(PASS_GATE, number)) for number in range(CONNECTIONS)]
    assert len(await gate.reached(CONNECTIONS)) == CONNECTIONS
    gate.open()
    await asyncio.gather(*waiting)
    ((last,),) = await fetched(PID)
    assert [await fetched(PID) for _ in range(5)] == [[(last,)]] * 5


async def test_a_statement_is_prepared_once_on_a_connection() -> None:
    for number in range(5):
        await fetched(DOUBLE, number)
    count = "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1"
    assert await fetched(count, DOUBLE) == [(1,)]


async def test_connections_have_our_settings_and_the_role_of_the_servers(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_tests = connections["default"].settings_dict["ASYNCPG"]["server_settings"]  # with longer timeouts, and the role
    of_servers = env.database(settings.DATABASE_OWNER_URL)["ASYNCPG"]["server_settings"]
    pool_arguments_set(monkeypatch, server_settings=of_tests | of_servers)
    names = [
        "lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "TimeZone", "plan_cache_mode",
        "enable_seqscan", "role",
    ]  # fmt: skip
    rows = [(await fetched(f"SHOW {name}"))[0][0] for name in names]
    assert rows == ["3s", "8s", "8s", "UTC", "force_generic_plan", "off", APP_ROLE]


MANY_PARAMETERS = (
    "connect_timeout=20&keepalives=1&keepalives_idle=10&gssencmode=disable&channel_binding=prefer&sslmode=prefer"
    f"&target_session_attrs=read-write&application_name={NAME}&options=-c%20work_mem%3D5MB"
)


def url_of(**parameters: str) -> str:
    """Return the test database's address as a URL, with these parameters in place of its own."""
    parts = {name: str(value) for name, value in conninfo_to_dict(app_url()).items()} | parameters
    return f"postgresql://{parts.pop('user')}@/{parts.pop('dbname')}?{urlencode(parts)}"


@pytest.mark.parametrize("by_port", [False, True], ids=["unix-socket", "port"])
async def test_both_drivers_connect_to_every_form_of_an_address(monkeypatch: pytest.MonkeyPatch, by_port: bool) -> None:
    with proxy_run(app_url()) as proxy:
        port = {"host": "127.0.0.1", "port": str(conninfo_to_dict(proxy.url)["port"])}
        read = env.database(f"{url_of(**(port if by_port else {}))}&{MANY_PARAMETERS}")
        for name, value in read.items():
            monkeypatch.setitem(connections["default"].settings_dict, name, value)
        for name, value in (("work_mem", "5MB"), ("application_name", NAME), ("lock_timeout", "3s")):
            assert await fetched(f"SHOW {name}") == [(value,)]
            assert await asyncio.to_thread(and_close(lambda name=name: shown(name))) == value
        await pool_close()


async def test_both_drivers_find_the_server_that_takes_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failover the address names the former server, which does not answer any more, and the new one."""
    with socket.create_server(("127.0.0.1", 0)) as former:
        closed_port = former.getsockname()[1]
    with proxy_run(app_url()) as proxy:
        open_port = conninfo_to_dict(proxy.url)["port"]
        url = url_of(host="127.0.0.1,127.0.0.1", port=f"{closed_port},{open_port}")
        for name, value in env.database(f"{url}&target_session_attrs=read-write").items():
            monkeypatch.setitem(connections["default"].settings_dict, name, value)
        assert await fetched("SHOW transaction_read_only") == [("off",)]
        assert await asyncio.to_thread(and_close(lambda: shown("transaction_read_only"))) == "off"
        await pool_close()


def shown(name: str) -> str:
    """Return a setting of Django's connection."""
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return str(cursor.fetchone()[0])


async def test_a_statement_larger_than_the_socket_s_buffer_is_answered() -> None:
    texts = [letter * MANY_BYTES for letter in "abcdef"]
    sql = "SELECT length($1::text), md5($1::text)"
    rows = await asyncio.gather(*[fetched(sql, sent) for sent in texts], all_is_well())
    assert rows[:-1] == [[(MANY_BYTES, hashlib.md5(sent.encode()).hexdigest())] for sent in texts]


async def test_a_large_answer_arrives_whole() -> None:
    sql = "SELECT repeat($1::text, $2::integer)"
    rows = await asyncio.gather(*[fetched(sql, letter, MANY_BYTES) for letter in "abcdef"], all_is_well())
    assert rows[:-1] == [[(letter * MANY_BYTES,)] for letter in "abcdef"]


async def test_a_large_statement_can_have_a_large_answer() -> None:
    sent = "0123456789" * (MANY_BYTES // 10)
    assert await fetched("SELECT $1::text", sent) == [(sent,)]


async def test_a_statement_without_a_row_has_none() -> None:
    assert await fetched("SELECT 1 WHERE false") == []


async def test_values_of_each_type_arrive_unchanged() -> None:
    sql = (
        "SELECT place, whole, amount, words, decode(bytes, 'base64'), id, is_so, numbers, amounts, body"
        " FROM ROWS FROM (json_to_recordset($1) AS (whole bigint, amount numeric, words text, bytes text,"
        " id uuid, is_so boolean, numbers smallint[], amounts numeric[], body jsonb)) WITH ORDINALITY"
        " AS item (whole, amount, words, bytes, id, is_so, numbers, amounts, body, place)"
    )
    words = 'so: "\u00e9", \\, {,}, \U0001f0a1\n'
    item = {
        "whole": -7, "amount": Decimal("0.10"), "words": words, "bytes": b"\x00\\\xff", "id": UUID(int=5),
        "is_so": True, "numbers": [1, 2], "amounts": [Decimal("1.00000000"), Decimal(3)], "body": {"a": ["b"]},
    }  # fmt: skip
    row, nothing = await asked(sql, item, {})
    assert row == (
        -7, Decimal("0.10"), words, b"\x00\\\xff", UUID(int=5), True, [1, 2], [Decimal(1), Decimal(3)], '{"a": ["b"]}'
    )  # fmt: skip
    assert [str(amount) for amount in (row[1], *row[7])] == ["0.10", "1.00000000", "3"]
    assert nothing == (None,) * 9


async def test_each_loop_has_connections_of_its_own(superuser: psycopg.Connection) -> None:
    await fetched(DOUBLE, 1)
    here = sessions(superuser)
    with ThreadPoolExecutor(1) as threads:
        there = threads.submit(and_close(lambda: run(fetched(PID)))).result(timeout=WAIT_S)
    assert there[0][0] not in here
    await all_is_well()


# Refusals


@pytest.mark.usefixtures("refusals")
@pytest.mark.parametrize(
    ("sqlstate", "constraint", "error"),
    [
        ("55P03", "", Busy),
        ("57014", "", Busy),
        ("40001", "", StaleState),
        ("22003", "", AmountTooLarge),
        ("53100", "", Unavailable),
        ("57P01", "", Unavailable),
        ("25006", "", Unavailable),
        ("23514", "wallet_balance_not_negative", InsufficientFunds),
        ("23505", "wallet_transaction_source_key", MovementRepeated),
        ("23505", "game_round_one_open", StaleState),
    ],
)
async def test_errors_of_postgresql_are_domain_errors(sqlstate: str, constraint: str, error: type[DomainError]) -> None:
    for _ in range(2 * CONNECTIONS):
        with pytest.raises(error) as refused:
            await fetched(REFUSE, sqlstate, constraint)
        assert type(refused.value) is error
    await all_is_well()


@pytest.mark.usefixtures("refusals")
async def test_refused_statements_do_not_affect_the_others() -> None:
    async def one(number: int) -> object:
        if number % 3:
            return await fetched(DOUBLE, number)
        with pytest.raises(Busy):
            await fetched(REFUSE, "55P03", "")
        return None

    answers = await asyncio.gather(*[one(number) for number in range(90)])
    assert [given for given in answers if given] == [[(2 * number,)] for number in range(90) if number % 3]
    await all_is_well()


@pytest.mark.parametrize(
    ("sql", "values", "error"),
    [
        pytest.param("SELECT nothing", (), asyncpg.UndefinedColumnError, id="not-prepared"),
        pytest.param("SELECT 1 / $1::integer", (0,), asyncpg.DivisionByZeroError, id="not-run"),
        pytest.param(DOUBLE, ("two",), asyncpg.DataError, id="a-value-that-is-none"),
        pytest.param(DOUBLE, (1, 2), asyncpg.InterfaceError, id="a-value-too-many"),
    ],
)
async def test_a_programming_error_is_raised_unchanged(
    sql: str, values: tuple[object, ...], error: type[Exception]
) -> None:
    for _ in range(2 * CONNECTIONS):
        with pytest.raises(error):
            await fetched(sql, *values)
    await all_is_well()


@pytest.fixture
def late(superuser: psycopg.Connection, refusals: None) -> Iterator[None]:
    """A table whose rows are refused at the commit, after the statement has been answered."""
    superuser.execute(
        "CREATE TABLE test_late (code text, broken text); GRANT ALL ON test_late TO PUBLIC;"
        " CREATE FUNCTION test_refuse_late() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
        "   IF NEW.code = 'end' THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(30); END IF;"
        "   IF NEW.code <> '' THEN PERFORM test_refuse(NEW.code, NEW.broken); END IF; RETURN NULL; END $$;"
        " CREATE CONSTRAINT TRIGGER test_late AFTER INSERT ON test_late DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION test_refuse_late()"
    )
    yield
    superuser.execute("DROP TABLE test_late; DROP FUNCTION test_refuse_late()")


LATE = (
    "WITH item AS (SELECT * FROM ROWS FROM (json_to_recordset($1) AS (code text, broken text)) WITH ORDINALITY"
    " AS item (code, broken, place)), written AS (INSERT INTO test_late SELECT code, broken FROM item)"
    " SELECT place, 1 FROM item"
)
LATE_REFUSALS = pytest.mark.parametrize(
    ("refused", "error"),
    [
        pytest.param({"code": "55P03"}, Busy, id="a-lock"),
        pytest.param({"code": "23505", "broken": "wallet_transaction_source_key"}, Conflict, id="a-key"),
        pytest.param({"code": "23503", "broken": "any"}, asyncpg.ForeignKeyViolationError, id="a-foreign-key"),
        pytest.param({"code": "end"}, Unavailable, id="the-session's-end"),
    ],
)


@pytest.mark.usefixtures("late")
@LATE_REFUSALS
async def test_a_refusal_at_the_commit_is_raised_although_rows_came_before(
    refused: dict[str, str], error: type[Exception]
) -> None:
    for _ in range(2):
        (answer,) = await asked(LATE, {"broken": ""} | refused)
        assert isinstance(answer, error)
    good = {"code": "", "broken": ""}
    assert await asked(LATE, good) == [(1,)]
    await all_is_well()


@pytest.mark.usefixtures("late")
@LATE_REFUSALS
async def test_a_refusal_at_a_transaction_s_commit_is_raised(refused: dict[str, str], error: type[Exception]) -> None:
    async def write() -> None:
        async with pool().transaction() as transaction:
            assert await transaction.query(LATE, {"broken": ""} | refused) == (1,)

    with pytest.raises(error):
        await write()
    assert await fetched("SELECT count(*) FROM test_late") == [(0,)]
    await all_is_well()


# Batches


async def test_each_of_many_items_gets_its_own_answer() -> None:
    assert await asked(ODD, *[{"value": value, "divisor": 1} for value in TEXTS]) == [(value, 1) for value in TEXTS]


async def test_an_item_without_a_row_gets_none() -> None:
    items = [{"value": "a", "divisor": 1}, {"value": "b", "divisor": 7}, {"value": "c", "divisor": None}]
    assert await asked(ODD, *items) == [("a", 1), None, ("c", None)]


async def test_a_refused_item_does_not_affect_the_others() -> None:
    first, second, third = await asked(ODD, *[{"value": "a", "divisor": divisor} for divisor in (1, 0, 1)])
    assert (first, third) == (("a", 1), ("a", 1))
    assert isinstance(second, asyncpg.DivisionByZeroError)


async def test_an_item_that_is_not_json_leaves_no_caller_waiting() -> None:
    errors = await asked(ODD, {"value": object()}, {"value": "b"})
    assert [type(error) for error in errors] == [TypeError, TypeError]
    assert await asked(ODD, {"value": "a", "divisor": 1}) == [("a", 1)]


async def test_an_answer_for_an_unknown_item_leaves_no_caller_waiting() -> None:
    errors = await asked("SELECT 9::bigint, $1::json::text", {}, {})
    assert [type(error) for error in errors] == [IndexError, IndexError]
    await all_is_well()


async def test_items_in_a_transaction_get_the_same_answers() -> None:
    async with pool().transaction() as transaction:
        answers = [await transaction.query(ODD, {"value": value, "divisor": 1}) for value in TEXTS]
        assert await transaction.query(ODD, {"value": "b", "divisor": 7}) is None
    assert answers == [(value, 1) for value in TEXTS]


# Transactions


@pytest.fixture
def numbers(superuser: psycopg.Connection) -> Iterator[None]:
    """A table of one row with the number 1."""
    superuser.execute("CREATE TABLE test_number AS SELECT 1 AS number; GRANT ALL ON test_number TO PUBLIC")
    yield
    superuser.execute("DROP TABLE test_number")


COUNT_UP = "UPDATE test_number SET number = number + 1 RETURNING number"
NUMBER = "SELECT number FROM test_number"


@pytest.mark.usefixtures("numbers")
async def test_a_transaction_is_committed_at_its_end() -> None:
    async with pool().transaction() as transaction:
        assert [tuple(row) for row in await transaction.fetch(COUNT_UP)] == [(2,)]
        assert await fetched(NUMBER) == [(1,)]
    assert await fetched(NUMBER) == [(2,)]


class Ours(Exception):
    """An exception that a block raises."""


@pytest.mark.usefixtures("numbers")
@pytest.mark.parametrize("error", [Ours, OSError, KeyboardInterrupt])
async def test_a_transaction_is_rolled_back_if_its_block_raises_and_the_connection_works_on(
    superuser: psycopg.Connection, error: type[BaseException]
) -> None:
    ((pid,),) = await fetched(PID)

    async def raises() -> None:
        async with pool().transaction() as transaction:
            await transaction.fetch(COUNT_UP)
            raise error

    with pytest.raises(error) as raised:
        await raises()
    assert type(raised.value) is error
    assert await fetched(NUMBER) == [(1,)]
    assert await fetched(COUNT_UP) == [(2,)]
    assert await fetched(PID) == [(pid,)]


@pytest.mark.usefixtures("numbers")
async def test_a_transaction_whose_refusal_was_caught_does_not_count_as_committed() -> None:
    async def catches() -> None:
        async with pool().transaction() as transaction:
            await transaction.fetch(COUNT_UP)
            with pytest.raises(asyncpg.DivisionByZeroError):
                await transaction.fetch("SELECT 1 / $1::integer", 0)

    with pytest.raises(asyncpg.InFailedSQLTransactionError):
        await catches()
    assert await fetched(NUMBER) == [(1,)]
    await all_is_well()


async def test_transactions_that_wait_for_locks_leave_a_connection_to_the_others(gate: Gate) -> None:
    async def waiting() -> None:
        async with pool().transaction() as transaction:
            await transaction.fetch(PASS_GATE, 1)

    waiters = [asyncio.create_task(waiting()) for _ in range(2 * CONNECTIONS)]
    await gate.reached(CONNECTIONS - 1)
    assert await fetched(DOUBLE, 4) == [(8,)]
    gate.open()
    await asyncio.gather(*waiters)


@pytest.mark.usefixtures("numbers")
async def test_a_transaction_waits_for_the_locks_of_another_and_sees_its_changes(
    superuser: psycopg.Connection,
) -> None:
    async def count_up() -> list[Any]:
        async with pool().transaction() as transaction:
            return await transaction.fetch(COUNT_UP)

    async with pool().transaction() as transaction:
        await transaction.fetch(COUNT_UP)
        waiting = asyncio.create_task(count_up())
        async with asyncio.timeout(WAIT_S):
            while not sessions(superuser, "wait_event_type = 'Lock'"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    async with asyncio.timeout(WAIT_S):
        assert [tuple(row) for row in await waiting] == [(3,)]
