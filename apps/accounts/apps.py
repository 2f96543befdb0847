"""The app `accounts`."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the models of `apps.accounts` under the label `accounts`, and listens to log-ins."""

    name = "apps.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from apps.accounts.session_limit import oldest_sessions_end

        user_logged_in.connect(oldest_sessions_end, dispatch_uid="session limit")
