"""The app `fairness`."""

from django.apps import AppConfig


class FairnessConfig(AppConfig):
    """Registers the models of `apps.fairness` under the label `fairness`."""

    name = "apps.fairness"
    label = "fairness"
    default_auto_field = "django.db.models.BigAutoField"
