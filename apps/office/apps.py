"""The back office: admin site, reports, verify pages, the partner API that spans games."""

from django.apps import AppConfig


class OfficeConfig(AppConfig):
    name = "apps.office"
    label = "office"
    default_auto_field = "django.db.models.BigAutoField"
