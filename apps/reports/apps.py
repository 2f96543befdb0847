"""The app `reports`."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Reports have no tables of their own: they read those of the apps below."""

    name = "apps.reports"
    label = "reports"
