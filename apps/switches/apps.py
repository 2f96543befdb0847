"""The app `switches`."""

from django.apps import AppConfig


class SwitchesConfig(AppConfig):
    """Registers the models of `apps.switches` under the label `switches`."""

    name = "apps.switches"
    label = "switches"
    default_auto_field = "django.db.models.BigAutoField"
