"""How limits and odds came to be as they are is kept, also of the tables that are written once."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("baccarat", "0007_related_names"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("baccarat_config"),
        history_kept("baccarat_odds_config"),
        history_kept("baccarat_config_history", key="history_id"),
        history_kept("baccarat_odds_config_history", key="history_id"),
    ]
