"""SQL that several migrations use, with its reverse."""

from collections.abc import Sequence
from pathlib import Path

from django.db import migrations


def append_only(*tables: str) -> list[migrations.RunSQL]:
    """Return operations that make the database refuse UPDATE, DELETE and TRUNCATE on `tables`.

    The function `change_refuse` is from the second migration of `core`.
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
    """Return the operation of `<name>.sql` beside the migration file; `<name>_reverse.sql` is its reverse."""
    folder = Path(migration).parent
    return migrations.RunSQL((folder / f"{name}.sql").read_text(), (folder / f"{name}_reverse.sql").read_text())


def history_kept(
    table: str,
    *,
    key: str = "id",
    left_out: Sequence[str] = (),
    hashed: Sequence[str] = (),
    by_columns: bool = False,
) -> migrations.RunSQL:
    """Return the operation that writes the history of the table's rows, beginning with the existing ones.

    The history has only a hash of the columns `hashed`, which are secret or personal. With `by_columns` an UPDATE of
    excluded columns alone costs nothing; a column that is added later then needs a migration of its own. `key` is the
    primary key, its columns separated by commas. The function comes with `apps/audit/migrations/0003_row_change.sql`.
    """
    columns = [key, ",".join(left_out), ",".join(hashed)]
    arguments = ", ".join(f"'{names}'" for names in columns)
    return migrations.RunSQL(
        f"SELECT row_changes_begin('{table}', {arguments}, {'true' if by_columns else 'false'});",
        f"DROP TRIGGER {table}_history ON {table};",
    )
