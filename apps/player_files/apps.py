"""The app `player_files`."""

from django.apps import AppConfig


class PlayerFilesConfig(AppConfig):
    """Registers `apps.player_files` under the label `player_files`."""

    name = "apps.player_files"
    label = "player_files"
    default_auto_field = "django.db.models.BigAutoField"
