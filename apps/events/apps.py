"""The app `events`: the significant events of the casino (docs/operations.md), not the events of a round."""

from django.apps import AppConfig


class EventsConfig(AppConfig):
    """Registers the models of `apps.events` under the label `events`, and listens to failed log-ins."""

    name = "apps.events"
    label = "events"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.mfa.signals import authentication_failed
        from django.contrib.auth.signals import user_login_failed

        from apps.events.authentication_failures import factor_failed, login_failed

        user_login_failed.connect(login_failed, dispatch_uid="significant events")
        authentication_failed.connect(factor_failed, dispatch_uid="significant events")
