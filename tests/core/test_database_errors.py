"""Errors of PostgreSQL become domain errors, and programming errors stay errors."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from apps.core.database_errors import database_errors, domain_error_of
from apps.core.errors import Busy, DomainError, Unavailable
from apps.core.locks import advisory_lock
from casino.settings.waits import WAIT_S
from tests.support.waiting import and_close, lock_wait_await

pytestmark = pytest.mark.usefixtures("committed")


def run(statement: str) -> None:
    """Run a statement in a transaction of its own, with errors of PostgreSQL as domain errors."""
    with transaction.atomic(), database_errors(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("sqlstate", "error"),
    [
        ("55P03", Busy),
        ("40P01", Busy),
        ("40001", Busy),
        ("57014", Busy),
        ("53100", Unavailable),
        ("53300", Unavailable),
        ("57P01", Unavailable),
        ("57P03", Unavailable),
        ("08006", Unavailable),
        ("25006", Unavailable),
    ],
)
def test_an_error_code_of_postgresql_is_a_domain_error(sqlstate: str, error: type[DomainError]) -> None:
    with pytest.raises(error):
        run(f"DO $$ BEGIN RAISE EXCEPTION 'so' USING ERRCODE = '{sqlstate}'; END $$")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT nothing",
        "INSERT INTO currency VALUES ('FUN', 'again', 2)",
        "DO $$ BEGIN RAISE EXCEPTION 'so' USING ERRCODE = '08P01'; END $$",  # its class is that of connection errors
    ],
)
def test_a_programming_error_is_raised_unchanged(statement: str) -> None:
    with pytest.raises(DatabaseError):
        run(statement)


def test_a_lost_connection_is_unavailable_and_the_next_works(superuser: psycopg.Connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    superuser.execute("SELECT pg_terminate_backend(%s, 30000)", [pid])
    with pytest.raises(Unavailable), database_errors(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    with pytest.raises(Unavailable), database_errors(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    connection.close()
    run("SELECT 1")


def test_a_missing_server_is_unavailable() -> None:
    with pytest.raises(psycopg.OperationalError) as refused:
        psycopg.connect("host=127.0.0.1 port=1 connect_timeout=5")
    assert isinstance(domain_error_of(refused.value), Unavailable)


def test_an_advisory_lock_is_held_to_the_end_of_the_transaction() -> None:
    order: list[str] = []

    def second() -> None:
        with transaction.atomic():
            advisory_lock("a", "b")
            order.append("second")

    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            advisory_lock("a", "b")
            waiting = pool.submit(and_close(second))
            pool.submit(and_close(lock_wait_await)).result()
            order.append("first")
        waiting.result(timeout=WAIT_S)
    assert order == ["first", "second"]


@pytest.mark.parametrize("parts", [("a", "c"), ("ab",), ("a b",)])
def test_another_name_is_another_lock(parts: tuple[str, ...], at_once: Callable[..., list[str]]) -> None:
    def other() -> None:
        with transaction.atomic():
            advisory_lock(*parts)

    with transaction.atomic():
        advisory_lock("a", "b")
        assert at_once(1, other) == ["ok"]
