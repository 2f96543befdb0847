"""The back office, and the APIs that cover all games: the partner API, the player's round API, public verification."""

from django.apps import AppConfig


class OfficeConfig(AppConfig):
    """Registers the models of `apps.office` under the label `office`, and listens to log-ins."""

    name = "apps.office"
    label = "office"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from apps.office import approval_details  # noqa: F401 - it registers the words of acts that take two persons
        from apps.office.staff_sessions import session_begin

        user_logged_in.connect(session_begin, dispatch_uid="office session")
