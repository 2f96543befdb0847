"""The app `scheduled_changes`."""

from django.apps import AppConfig


class ScheduledChangesConfig(AppConfig):
    """Registers the models of `apps.scheduled_changes` under the label `scheduled_changes`."""

    name = "apps.scheduled_changes"
    label = "scheduled_changes"
    verbose_name = "Scheduled changes"
    default_auto_field = "django.db.models.BigAutoField"
