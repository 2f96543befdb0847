"""The app `search`."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """Registers `apps.search` under the label `search`."""

    name = "apps.search"
    label = "search"
    default_auto_field = "django.db.models.BigAutoField"
