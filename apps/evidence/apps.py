"""The app `evidence`."""

from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    """Registers the models of `apps.evidence` under the label `evidence`."""

    name = "apps.evidence"
    label = "evidence"
    default_auto_field = "django.db.models.BigAutoField"
