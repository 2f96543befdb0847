"""The app `audit`."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Registers the models of `apps.audit` under the label `audit`."""

    name = "apps.audit"
    label = "audit"
    default_auto_field = "django.db.models.BigAutoField"
