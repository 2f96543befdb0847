"""What the role of the servers, `punto_app`, may do: granted anew after every migration.

Everything but owning: SELECT and INSERT alone on append-only tables, and on a table whose model says
`app_may_update = (...)` UPDATE of those columns only. With `app_may_insert = False` triggers alone write the table.
"""

from typing import Final

from django.apps import apps
from django.db import connections

from apps.core.models import AppendOnly

APP_ROLE: Final = "punto_app"

_RIGHTS: Final = (
    f"GRANT USAGE ON SCHEMA public TO {APP_ROLE}",
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {APP_ROLE}",
    f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APP_ROLE}",
    f"REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {APP_ROLE}",
)


def grants_give(*, using: str, **_: object) -> None:
    """Grant `punto_app` its rights on all tables of the database `using`, if that role exists there."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APP_ROLE])
        if cursor.fetchone() is None:
            return
        for right in _RIGHTS:
            cursor.execute(right)
        existing = set(connections[using].introspection.table_names(cursor))
        for model in apps.get_models():
            table = model._meta.db_table
            if table not in existing:
                continue
            if issubclass(model, AppendOnly):
                cursor.execute(f'REVOKE UPDATE, DELETE ON "{table}" FROM {APP_ROLE}')
            if not getattr(model, "app_may_insert", True):
                cursor.execute(f'REVOKE INSERT ON "{table}" FROM {APP_ROLE}')
            columns: tuple[str, ...] | None = getattr(model, "app_may_update", None)
            if columns is not None:
                cursor.execute(f'REVOKE UPDATE, DELETE ON "{table}" FROM {APP_ROLE}')
                cursor.execute(f'GRANT UPDATE ({", ".join(columns)}) ON "{table}" TO {APP_ROLE}')
