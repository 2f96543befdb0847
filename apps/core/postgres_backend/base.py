"""Django's backend for PostgreSQL, whose connections give up a statement that PostgreSQL neither answers nor ends.

PostgreSQL ends a long statement itself (`statement_timeout`). It does not while its process or disk is halted, and a
thread of ours would wait for it without an end.
"""

from types import ModuleType
from typing import Any, TypeVar

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import PQGen

Value = TypeVar("Value")


class LimitedConnection(psycopg.Connection[Any]):
    """A connection whose statements end after `client_timeout_s` seconds with an OperationalError that has no SQLSTATE.
    The connection is then closed, and it is unknown whether a COMMIT was made."""

    client_timeout_s: float | None = None
    """None: a statement may take any time."""

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        try:
            return super().wait(gen, interval, self.client_timeout_s if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.info.transaction_status.name == "ACTIVE":  # the statement may still run
                self.close()
            raise


def _driver() -> ModuleType:
    """Return psycopg with a function `connect` for connections of ours. Django has no setting for their class."""
    driver = ModuleType(psycopg.__name__)
    driver.__dict__.update(vars(psycopg), connect=LimitedConnection.connect)
    return driver


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, with connections that have the database's setting `CLIENT_TIMEOUT_S`.

    Whether an idle connection still works is found in the time that a new one may take, so that a request of a
    PostgreSQL that says nothing is refused at once, with any number of idle connections.
    """

    Database = _driver()

    @property
    def pool(self) -> Any:
        options = self.settings_dict["OPTIONS"].get("pool")
        if options:
            options["connection_class"] = LimitedConnection
        return super().pool

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.client_timeout_s = self.settings_dict.get("CLIENT_TIMEOUT_S")
        return connection

    def is_usable(self) -> bool:
        if self.connection is None:
            return False
        self._idle(self.connection)
        try:
            return super().is_usable()
        finally:
            self.connection.client_timeout_s = self.settings_dict.get("CLIENT_TIMEOUT_S")

    def _configure_connection(self, connection: LimitedConnection) -> Any:
        if self.pool:  # it calls this for a connection that nobody uses yet
            self._idle(connection)
        return super()._configure_connection(connection)  # type: ignore[misc]  # not in the stubs

    def _close(self) -> None:
        if self.pool and self.connection is not None:
            self._idle(self.connection)
        super()._close()  # type: ignore[misc]  # not in the stubs

    def _idle(self, connection: LimitedConnection) -> None:
        """Give the connection the timeout of the check before its next use."""
        if self.settings_dict.get("CLIENT_TIMEOUT_S") is not None:
            connection.client_timeout_s = float(self.settings_dict["OPTIONS"]["connect_timeout"])
