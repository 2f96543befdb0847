"""The app `approvals`."""

from django.apps import AppConfig


class ApprovalsConfig(AppConfig):
    """Registers the models of `apps.approvals` under the label `approvals`."""

    name = "apps.approvals"
    label = "approvals"
    default_auto_field = "django.db.models.BigAutoField"
