"""The app `blackjack`, and the game's id."""

from typing import Final

from django.apps import AppConfig

GAME_ID: Final = "og-blackjack"
"""The game's id on the wire and in the records."""


class BlackjackAppConfig(AppConfig):
    name = "apps.blackjack"
    label = "blackjack"
    default_auto_field = "django.db.models.BigAutoField"
