"""The app `timelines`."""

from django.apps import AppConfig


class TimelinesConfig(AppConfig):
    """Registers `apps.timelines` under the label `timelines`."""

    name = "apps.timelines"
    label = "timelines"
    default_auto_field = "django.db.models.BigAutoField"
