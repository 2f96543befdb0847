"""The app `events`."""

from django.apps import AppConfig


class EventsConfig(AppConfig):
    """Registers the models of `apps.events` under the label `events`, and listens to failed log-ins."""

    name = "apps.events"
    label = "events"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_login_failed

        from apps.events.failures import login_failed

        user_login_failed.connect(login_failed, dispatch_uid="significant events")
