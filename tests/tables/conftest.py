"""Servers that the tests of tables share."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.server import Server, server_run


@pytest.fixture(scope="session")
def other_server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Server]:
    """A second process that serves the same tables; without rate limits. Ask for `committed` too."""
    with django_db_blocker.unblock(), server_run(PUNTO_RATE_LIMITS="0") as server:
        yield server


@pytest.fixture(scope="module")
def hasty_server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Server]:
    """A server with limits, whose sessions last a minute, may be silent for 5 s and without a socket for 2 s.

    It ends with its module, because it ends the sessions of every test on this database by these times.
    """
    times = {"PUNTO_TABLE_SESSION_S": "60", "PUNTO_TABLE_IDLE_S": "5", "PUNTO_TABLE_DROP_S": "2"}
    with django_db_blocker.unblock(), server_run(**times) as server:
        yield server
