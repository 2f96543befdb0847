"""The app `reports`."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Registers the kept reports. All others are made anew from the tables of the apps below."""

    name = "apps.reports"
    label = "reports"
    default_auto_field = "django.db.models.BigAutoField"
