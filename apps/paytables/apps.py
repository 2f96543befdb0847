"""The app `paytables`."""

from django.apps import AppConfig


class PayTablesConfig(AppConfig):
    """Registers the models of `apps.paytables` under the label `paytables`."""

    name = "apps.paytables"
    label = "paytables"
    verbose_name = "Pay tables"
    default_auto_field = "django.db.models.BigAutoField"
