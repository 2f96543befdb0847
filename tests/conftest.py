"""Fixtures of all tests.

The tests use the test database as `punto_app`, the role of the servers, and not as its owner. A missing privilege
therefore fails a test.
"""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from threading import Barrier

import hypothesis
import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections
from django.db.backends.signals import connection_created
from django.template import Context, Template
from django.test.signals import template_rendered
from django.test.utils import setup_databases, teardown_databases
from django.utils.safestring import SafeString
from psycopg.conninfo import make_conninfo
from pytest_django import DjangoDbBlocker

from apps.core.database_grants import APP_ROLE
from apps.core.errors import DomainError
from apps.partners.request_log import request_log
from casino.settings.waits import WAIT_S
from tests.support.chromium import kept_chromium
from tests.support.empty_database import EmptyingLink
from tests.support.long_form import IS_LONG
from tests.support.loop import loop_kept
from tests.support.server import Server, resting_servers_close, server_run
from tests.support.template_database import migrated_once, template_drop

# Until all tests are collected there is hardly any garbage, and collecting it would take a third of the time.
gc.disable()

# The examples are the same on every run, so that an unlucky draw does not fail an unrelated change. With `make soak`
# they are new each time.
hypothesis.settings.register_profile(
    "punto",
    deadline=None,
    derandomize=not IS_LONG,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("punto")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that have no short form to `make soak`."""
    if IS_LONG:
        return
    left = [item for item in items if item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """Collect garbage from here on, except among the objects that exist already, and seldom: it would take a twentieth
    of the time, and tests leave little."""
    gc.freeze()
    gc.set_threshold(400_000)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close Chromium unless the next test needs it too."""
    if "browser" not in getattr(nextitem, "fixturenames", ()):
        kept_chromium.close()


@pytest.fixture(scope="session", autouse=True)
def page_contexts_alone(django_test_environment: None) -> Iterator[None]:
    """Have Django's test client keep the context of a page alone, not of each of its eighty included templates. The
    copies of these took a tenth of the time of a page.
    """

    def render(template: Template, context: Context) -> SafeString:
        if context.template is template:
            template_rendered.send(sender=template, template=template, context=context)
        return template.nodelist.render(context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", render)
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Create the test database; every connection to it then takes the role of the servers.

    pytest-django creates it only for tests marked `django_db`, and `committed` needs it too.
    """
    verbosity = request.config.option.verbose
    is_worker = hasattr(request.config, "workerinput")
    shared = tmp_path_factory.getbasetemp().parent
    with django_db_blocker.unblock(), migrated_once(shared) if is_worker else nullcontext():
        databases = setup_databases(verbosity=verbosity, interactive=False, aliases={"default"})

    def role_take(connection: object, **_: object) -> None:
        with connection.cursor() as cursor:  # type: ignore[attr-defined]
            cursor.execute(f"SET ROLE {APP_ROLE}")

    connection_created.connect(role_take, dispatch_uid="role_take")
    with django_db_blocker.unblock():
        connections.close_all()
    assert connection.settings_dict["NAME"].startswith("test_")
    connection.settings_dict["ASYNCPG"]["server_settings"]["role"] = APP_ROLE
    yield
    resting_servers_close()
    with django_db_blocker.unblock():
        connections.close_all()
        connection_created.disconnect(dispatch_uid="role_take")
        threads_disconnect()
        if is_worker:
            template_drop(shared)
        teardown_databases(databases, verbosity=verbosity)


def threads_disconnect() -> None:
    """End all sessions of the test database, since the threads of `apps.core.threads` keep theirs."""
    with psycopg.connect(superuser_url(), autocommit=True) as link:
        link.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


def superuser_url() -> str:
    """Return the address of the test database as the cluster's superuser."""
    return make_conninfo(settings.DATABASE_SUPERUSER_URL, dbname=connection.settings_dict["NAME"])


@pytest.fixture
def superuser(django_db_setup: None) -> Iterator[psycopg.Connection]:
    """A separate connection as the superuser, with the privileges of an intruder who has root. Autocommit."""
    with psycopg.connect(superuser_url(), autocommit=True) as link:
        yield link


@pytest.fixture(scope="session")
def emptying_link(django_db_setup: None) -> Iterator[EmptyingLink]:
    """The superuser's connection that empties the test database."""
    link = EmptyingLink(superuser_url())
    yield link
    link.close()


@pytest.fixture
def committed(django_db_setup: None, django_db_blocker: DjangoDbBlocker, emptying_link: EmptyingLink) -> Iterator[None]:
    """The database with real commits, for tests with threads, processes or sockets. It is emptied afterwards."""
    with django_db_blocker.unblock():
        try:
            with loop_kept():
                yield
        finally:
            connection_rest()
            emptying_link.database_empty()


@pytest.fixture(autouse=True)
def key_requests_removed(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Wait until the requests of API keys are logged, and remove the lines. A separate thread writes them outside the
    test's transaction, perhaps after the next test has begun.
    """
    added = request_log.added
    yield
    if request_log.added != added:
        with django_db_blocker.unblock(), psycopg.connect(superuser_url(), autocommit=True) as link:
            request_log.finish()
            link.execute("DELETE FROM api_key_request")


def connection_rest() -> None:
    """Keep the connection for the next test, without the settings of this one. A broken connection or one in use is
    closed.

    A new one would take PostgreSQL longer than many tests: it reads the catalogue and compiles each trigger's function.
    """
    link = connection.connection
    with suppress(psycopg.Error):
        if link is not None and not connection.in_atomic_block and link.info.transaction_status.name == "IDLE":
            for statement in ("RESET ALL", f"SET ROLE {APP_ROLE}", "SELECT pg_advisory_unlock_all()", "DISCARD PLANS"):
                link.execute(statement)
            return
    connections.close_all()


@pytest.fixture(scope="session")
def shared_server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Server]:
    """One real server without rate limits for all tests of a worker; one that is killed is replaced at once.

    Tests need `committed` too.
    """
    with django_db_blocker.unblock(), server_run(PUNTO_RATE_LIMITS="0") as server:
        yield server


@pytest.fixture
def at_once() -> Callable[[int, Callable[[], object]], list[str]]:
    """Return a function that runs a call in n threads through one barrier and returns the sorted outcomes.

    An outcome is `ok` or the class name of the domain error.
    """

    def run(threads: int, call: Callable[[], object]) -> list[str]:
        barrier = Barrier(threads)

        def one(_: int) -> str:
            barrier.wait(timeout=WAIT_S)
            try:
                call()
            except DomainError as error:
                return type(error).__name__
            finally:
                connection.close()
            return "ok"

        with ThreadPoolExecutor(threads) as pool:
            return sorted(pool.map(one, range(threads)))

    return run
