"""The privileges of the servers' role `punto_app`, which are granted again after every migration.

It may read and write all tables, but on append-only tables only SELECT and INSERT; these are the ones with the trigger
of `append_only` (sql.py), saved versions of configurations included. If a model has `app_may_update = (...)`, it may
update only those columns. With `app_may_insert = False` only triggers write the table.
"""

from typing import Final

from django.apps import apps
from django.db import connections

APP_ROLE: Final = "punto_app"

_RIGHTS: Final = (
    f"GRANT USAGE ON SCHEMA public TO {APP_ROLE}",
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {APP_ROLE}",
    f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APP_ROLE}",
    f"REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {APP_ROLE}",
)

_APPEND_ONLY: Final = """
    SELECT held.relname
      FROM pg_trigger AS guard
      JOIN pg_class AS held ON held.oid = guard.tgrelid
      JOIN pg_proc AS refusal ON refusal.oid = guard.tgfoid
     WHERE refusal.proname = 'change_refuse' AND guard.tgname = held.relname || '_append_only'
"""


def grants_give(*, using: str, **_: object) -> None:
    """Grant `punto_app` its privileges on all tables of the database `using`, if the role exists."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APP_ROLE])
        if cursor.fetchone() is None:
            return
        for right in _RIGHTS:
            cursor.execute(right)
        cursor.execute(_APPEND_ONLY)
        for (table,) in cursor.fetchall():
            cursor.execute(f'REVOKE UPDATE, DELETE ON "{table}" FROM {APP_ROLE}')
        existing = set(connections[using].introspection.table_names(cursor))
        for model in apps.get_models():
            table = model._meta.db_table
            if table not in existing:
                continue
            if not getattr(model, "app_may_insert", True):
                cursor.execute(f'REVOKE INSERT ON "{table}" FROM {APP_ROLE}')
            columns: tuple[str, ...] | None = getattr(model, "app_may_update", None)
            if columns is not None:
                cursor.execute(f'REVOKE UPDATE, DELETE ON "{table}" FROM {APP_ROLE}')
                cursor.execute(f'GRANT UPDATE ({", ".join(columns)}) ON "{table}" TO {APP_ROLE}')
