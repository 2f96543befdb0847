"""The app `staff_access`."""

from django.apps import AppConfig


class StaffAccessConfig(AppConfig):
    """Registers the models of `apps.staff_access` under the label `staff_access`, and listens to log-ins."""

    name = "apps.staff_access"
    label = "staff_access"
    verbose_name = "Staff access"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.mfa.signals import authentication_failed
        from django.contrib.auth.signals import user_logged_in

        from apps.staff_access.services import factor_failed_note, log_in_note

        user_logged_in.connect(log_in_note, dispatch_uid="staff_access")
        authentication_failed.connect(factor_failed_note, dispatch_uid="staff_access")
