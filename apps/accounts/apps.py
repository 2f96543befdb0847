"""The app `accounts`."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the models of `apps.accounts` under the label `accounts`."""

    name = "apps.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
