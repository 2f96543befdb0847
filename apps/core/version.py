"""A database that another version of this product has made is left alone."""

from django.core.management import CommandError
from django.db import connections
from django.db.migrations.loader import MigrationLoader


def unknown_migrations_refuse(*, using: str, **_: object) -> None:
    """Raise CommandError, before anything is migrated, where the database has been migrated by steps that we lack.

    Its tables would not be those that the code believes in, and no later step could say so.
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
