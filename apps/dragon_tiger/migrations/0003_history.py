"""How limits and odds came to be as they are is kept, also of the tables that are written once."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("dragon_tiger", "0002_guards"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("dragon_tiger_config"),
        history_kept("dragon_tiger_odds_config"),
        history_kept("dragon_tiger_config_history", key="history_id"),
        history_kept("dragon_tiger_odds_config_history", key="history_id"),
    ]
