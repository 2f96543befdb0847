"""Pages and calls while PostgreSQL keeps its connections and says nothing."""

from contextlib import closing
from http.client import HTTPConnection

import psycopg
import pytest
from django.db import OperationalError, connection

from apps.core.database_snapshot import one_moment
from apps.core.postgres_backend.base import DatabaseWrapper
from apps.partners.models import Scope
from apps.partners.services import api_key_create
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make
from tests.support.postgres_proxy import proxy_run
from tests.support.server import app_url, server_run

pytestmark = [pytest.mark.usefixtures("committed"), pytest.mark.xdist_group("waits")]

CLIENT_TIMEOUT_S = 1
SLOW = f"SELECT pg_sleep({2 * CLIENT_TIMEOUT_S})"


@pytest.mark.parametrize(("words", "pool"), [((), "1"), (("web",), "0")], ids=["a pool", "a connection of each thread"])
def test_calls_and_probes_are_503_while_postgresql_is_frozen_and_answered_afterwards(
    words: tuple[str, ...], pool: str
) -> None:
    """Each finds by itself that its connection does not answer, long before a statement would be given up."""
    player = player_make()
    _, text = api_key_create(partner=player.partner, name="a", scopes=[Scope.READ], actor="test")
    with proxy_run(app_url()) as proxy:
        environment = {"DATABASE_URL": proxy.url, "DATABASE_OWNER_URL": proxy.url, "PUNTO_DB_POOL": pool}
        with server_run(*words, PUNTO_DB_CLIENT_TIMEOUT_S=str(30 * WAIT_S), **environment) as server:

            def status_of(path: str) -> int:
                with closing(HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)) as link:
                    link.request("GET", path, headers={"Authorization": f"Bearer {text}"})
                    return link.getresponse().status

            paths = ("/v1/rounds", "/readyz")
            assert [status_of(path) for path in paths] == [200, 200]
            proxy.freeze()
            assert [status_of(path) for path in paths] == [503, 503]
            proxy.thaw()
            assert [status_of(path) for path in paths] == [200, 200]


def test_a_statement_of_a_snapshot_may_take_longer_and_the_next_one_is_given_up() -> None:
    link = DatabaseWrapper(connection.settings_dict | {"CLIENT_TIMEOUT_S": CLIENT_TIMEOUT_S})
    try:
        link.ensure_connection()
        assert isinstance(link.connection, psycopg.Connection)
        with link.cursor() as cursor, pytest.raises(OperationalError):
            cursor.execute(SLOW)
        assert link.connection.closed
        link.close()
        with link.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        link.close()
    connection.ensure_connection()
    connection.connection.client_timeout_s = CLIENT_TIMEOUT_S
    try:
        with one_moment(read_only=True), connection.cursor() as cursor:
            cursor.execute(SLOW)
        assert connection.connection.client_timeout_s == CLIENT_TIMEOUT_S
    finally:
        connection.connection.client_timeout_s = None


def test_a_wrapper_without_a_connection_is_not_usable() -> None:
    assert not DatabaseWrapper(connection.settings_dict).is_usable()
