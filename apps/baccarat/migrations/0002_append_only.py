"""Baccarat records, and the history of limits and odds, are written once."""

from django.db import migrations

from apps.core.sql import append_only


class Migration(migrations.Migration):
    dependencies = [("baccarat", "0001_initial"), ("core", "0002_change_refuse")]
    operations = append_only("baccarat_game_record", "baccarat_config_history", "baccarat_odds_config_history")
