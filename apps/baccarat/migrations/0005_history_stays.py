"""The history of limits and odds is written once."""

from django.db import migrations

from apps.core.sql import append_only


class Migration(migrations.Migration):
    dependencies = [("baccarat", "0004_fewer_indexes"), ("core", "0002_change_refuse")]
    operations = append_only("baccarat_config_history", "baccarat_odds_config_history")
