"""The back office: admin site, reports, verify pages, and the partner API of all games."""

from django.apps import AppConfig


class OfficeConfig(AppConfig):
    name = "apps.office"
    label = "office"
    default_auto_field = "django.db.models.BigAutoField"
