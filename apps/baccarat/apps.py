"""The app `baccarat`, and the game's id."""

from typing import Final

from django.apps import AppConfig

GAME_ID: Final = "og-baccarat"
"""The game's id on the wire and in the records."""


class BaccaratAppConfig(AppConfig):
    name = "apps.baccarat"
    label = "baccarat"
    default_auto_field = "django.db.models.BigAutoField"
