"""The app `blackjack`."""

from django.apps import AppConfig


class BlackjackConfig(AppConfig):
    """Registers the models of `apps.blackjack` under the label `blackjack`."""

    name = "apps.blackjack"
    label = "blackjack"
    default_auto_field = "django.db.models.BigAutoField"
