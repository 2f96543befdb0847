"""The app `core`."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class CoreConfig(AppConfig):
    """Registers the models of `apps.core` and the hooks around each migration.

    Before a migration a database of a newer version is refused; after it the servers' role gets its privileges.
    """

    name = "apps.core"
    label = "core"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.core.database_grants import grants_give
        from apps.core.version import unknown_migrations_refuse

        pre_migrate.connect(unknown_migrations_refuse, sender=self, dispatch_uid="unknown_migrations_refuse")
        post_migrate.connect(grants_give, sender=self, dispatch_uid="grants_give")
