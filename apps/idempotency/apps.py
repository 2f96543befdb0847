"""The app `idempotency`."""

from django.apps import AppConfig


class IdempotencyConfig(AppConfig):
    """Registers the models of `apps.idempotency` under the label `idempotency`."""

    name = "apps.idempotency"
    label = "idempotency"
    default_auto_field = "django.db.models.BigAutoField"
