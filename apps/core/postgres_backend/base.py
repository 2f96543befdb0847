"""Django's backend for PostgreSQL, whose connections give up a statement that PostgreSQL neither answers nor ends.

PostgreSQL ends a long statement itself (`statement_timeout`). It does not while its process or disk is halted, and a
thread of ours would wait for it without an end.
"""

from types import ModuleType
from typing import Any, TypeVar

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus

Value = TypeVar("Value")


class PatientConnection(psycopg.Connection[Any]):
    """A connection whose statements end after `patience_s` seconds with an OperationalError that has no SQLSTATE. The
    connection is then closed, and it is unknown whether a COMMIT was made."""

    patience_s: float | None = None
    """None: a statement may take any time."""

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        try:
            return super().wait(gen, interval, self.patience_s if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:  # the statement may still run
                self.close()
            raise


def _driver() -> ModuleType:
    """Return psycopg with a function `connect` for connections of ours. Django has no setting for their class."""
    driver = ModuleType(psycopg.__name__)
    driver.__dict__.update(vars(psycopg), connect=PatientConnection.connect)
    return driver


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, with `PatientConnection` and the patience of the database's setting `PATIENCE_S`."""

    Database = _driver()

    @property
    def pool(self) -> Any:
        options = self.settings_dict["OPTIONS"].get("pool")
        if options:
            options["connection_class"] = PatientConnection
        return super().pool

    def _configure_connection(self, connection: PatientConnection) -> Any:
        connection.patience_s = self.settings_dict.get("PATIENCE_S")
        return super()._configure_connection(connection)  # type: ignore[misc]  # not in the stubs
