"""The app `wallet`."""

from django.apps import AppConfig


class WalletConfig(AppConfig):
    """Registers the models of `apps.wallet` under the label `wallet`."""

    name = "apps.wallet"
    label = "wallet"
    default_auto_field = "django.db.models.BigAutoField"
