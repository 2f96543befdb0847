"""The app `core`."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CoreConfig(AppConfig):
    """Registers the models of `apps.core`, and grants the servers' role its rights after each migration."""

    name = "apps.core"
    label = "core"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.core.grants import grants_give

        post_migrate.connect(grants_give, sender=self, dispatch_uid="grants_give")
