"""The app `dragon_tiger`, and the game's id."""

from typing import Final

from django.apps import AppConfig

GAME_ID: Final = "og-dragon-tiger"
"""The game's id on the wire and in the records."""


class DragonTigerAppConfig(AppConfig):
    name = "apps.dragon_tiger"
    label = "dragon_tiger"
    verbose_name = "Dragon tiger"
    default_auto_field = "django.db.models.BigAutoField"
