"""The player's pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "apps.portal"
    label = "portal"
    default_auto_field = "django.db.models.BigAutoField"
