"""Refuses to migrate a database of another version of this product."""

from django.core.management import CommandError
from django.db import connections
from django.db.migrations.loader import MigrationLoader


def unknown_migrations_refuse(*, using: str, **_: object) -> None:
    """Raise CommandError before a migration if the database has migrations that this version does not have.

    Its tables would differ from the code, and no later migration could detect that.
    """
    loader = MigrationLoader(connections[using])
    apps = {app for app, _name in loader.disk_migrations}
    unknown = sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in apps and (app, name) not in loader.disk_migrations and (app, name) not in loader.replacements
    )
    if unknown:
        raise CommandError(
            f"this database was made by another version of Punto: {', '.join(unknown)} is not known here."
            " Give this version an empty database (`make run` keeps its own in the folder .punto), or run that version."
        )
