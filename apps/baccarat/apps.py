"""The app `baccarat`."""

from django.apps import AppConfig


class BaccaratConfig(AppConfig):
    """Registers the models of `apps.baccarat` under the label `baccarat`."""

    name = "apps.baccarat"
    label = "baccarat"
    default_auto_field = "django.db.models.BigAutoField"
