"""The app `statistics`."""

from django.apps import AppConfig


class StatisticsConfig(AppConfig):
    """Registers the models of `apps.statistics` under the label `statistics`."""

    name = "apps.statistics"
    label = "statistics"
    default_auto_field = "django.db.models.BigAutoField"
