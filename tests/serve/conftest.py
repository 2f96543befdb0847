"""Both servers of sockets, with limits. Each test has IP addresses of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import pytest
from _pytest.mark import ParameterSet
from pytest_django import DjangoDbBlocker

from casino.bench.wire import Wire
from tests.support.server import Server, server_run

AUTHENTICATE_S = 3
UNAUTHENTICATED = 8
CONNECTS_PER_S = 2
AHEAD_S = 10

KINDS: dict[str, tuple[str, ...]] = {
    "uvicorn": (),
    "daphne": ("web", "--with-sockets"),
    "granian": ("web", "--workers", "1"),
}

_addresses = count(1)


def kinds(*names: str) -> list[ParameterSet]:
    """Return parameters of a fixture that runs a server of each kind. Their tests run in one worker, so that each is
    started once."""
    return [pytest.param(name, marks=pytest.mark.xdist_group("waits")) for name in names]


@pytest.fixture(scope="package", params=kinds("uvicorn", "daphne"))
def limited(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Server]:
    """A server behind one proxy, so that a test sets its address by `X-Forwarded-For`. Tests need `committed` too."""
    environment = {
        "PUNTO_PROXIES": "1",
        "PUNTO_AUTHENTICATE_S": str(AUTHENTICATE_S),
        "PUNTO_UNAUTHENTICATED_SOCKETS": str(UNAUTHENTICATED),
        "PUNTO_CONNECTS_PER_S": str(CONNECTS_PER_S),
    }
    with django_db_blocker.unblock(), server_run(*KINDS[request.param], **environment) as server:
        yield server


@pytest.fixture
def address() -> str:
    """An IP address that no other test has."""
    return f"198.51.{next(_addresses)}.7"


@pytest.fixture
def wire(limited: Server, address: str, committed: None) -> Iterator[Callable[..., Wire]]:
    """Return a function that connects to the server from the test's address; connections are closed after the test."""
    with ExitStack() as links:

        def connect(token: str = "", *, forwarded: str = address, **headers: str) -> Wire:
            return links.enter_context(Wire(limited.port, token, headers={"X-Forwarded-For": forwarded} | headers))

        yield connect
