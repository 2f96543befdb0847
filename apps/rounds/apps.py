"""The app `rounds`."""

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    """Registers the models of `apps.rounds` under the label `rounds`."""

    name = "apps.rounds"
    label = "rounds"
    default_auto_field = "django.db.models.BigAutoField"
