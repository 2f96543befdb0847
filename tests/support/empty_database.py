"""Empties the test database after a test with real commits."""

from contextlib import suppress
from functools import cache

import psycopg
from psycopg import sql

KEPT_TABLES = ("django_migrations", "django_content_type", "auth_permission", "currency")
"""Tables that migrations fill. They are not emptied, nor is their history."""

LARGE_BYTES = 2**19
"""Size from which on a table's file is cut back."""

_OTHERS_END = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND (state LIKE 'idle in transaction%' OR state = 'active')
"""
_TABLES = """
    SELECT c.relname, pg_relation_size(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname <> ALL(%s) ORDER BY c.relname
"""


class EmptyingLink:
    """A connection of the superuser that stays open from test to test, with triggers off.

    All tables are emptied by one statement, which PostgreSQL plans once. DELETE on the few tables that hold rows is
    faster than TRUNCATE of a hundred that do not, and Django's flush cannot empty tables that refuse TRUNCATE. Dead
    rows of DELETE are removed once they take much space, since autovacuum is off.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._link: psycopg.Connection | None = None

    def database_empty(self) -> None:
        """Empty every table except `KEPT_TABLES`, and end sessions that still use the tables."""
        try:
            self._empty()
        except psycopg.OperationalError:  # the test ended all sessions of the database
            self.close()
            self._empty()

    def close(self) -> None:
        if self._link is not None:
            with suppress(psycopg.Error):
                self._link.close()
        self._link = None

    def _empty(self) -> None:
        if self._link is None:
            self._link = psycopg.connect(self._url, autocommit=True)
            self._link.execute("SET session_replication_role = replica")
            self._link.execute("SET plan_cache_mode = force_generic_plan")
        self._link.execute(_OTHERS_END)
        sizes = dict(self._link.execute(_TABLES, [list(KEPT_TABLES)]).fetchall())
        self._link.execute(_delete_from(tuple(sizes)), prepare=True)
        if large := [sql.Identifier(name) for name, size in sizes.items() if size > LARGE_BYTES]:
            self._link.execute(sql.SQL("VACUUM {}").format(sql.SQL(", ").join(large)))


@cache
def _delete_from(tables: tuple[str, ...]) -> bytes:
    """Return one statement that deletes all rows of the tables, except the history of `KEPT_TABLES`."""
    kept = sql.SQL(" WHERE table_name NOT IN ({})").format(sql.SQL(", ").join(map(sql.Literal, KEPT_TABLES)))
    parts = [
        sql.SQL("{} AS (DELETE FROM {}{})").format(
            sql.Identifier(f"of_{table}"), sql.Identifier(table), kept if table == "row_change" else sql.SQL("")
        )
        for table in tables
    ]
    return sql.SQL("WITH {} SELECT").format(sql.SQL(", ").join(parts)).as_bytes()
