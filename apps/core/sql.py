"""Pieces of SQL that migrations share, each with its reverse."""

from pathlib import Path

from django.db import migrations


def append_only(*tables: str) -> list[migrations.RunSQL]:
    """Return operations that make the database refuse UPDATE, DELETE and TRUNCATE on `tables`.

    The function `change_refuse` comes with the first migration of `core`.
    """
    return [
        migrations.RunSQL(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();",
            f"DROP TRIGGER {table}_append_only ON {table};",
        )
        for table in tables
    ]


def sql_file(migration: str, name: str) -> migrations.RunSQL:
    """Return the operation of `<name>.sql` beside the migration file; `<name>_reverse.sql` undoes it."""
    folder = Path(migration).parent
    return migrations.RunSQL((folder / f"{name}.sql").read_text(), (folder / f"{name}_reverse.sql").read_text())
