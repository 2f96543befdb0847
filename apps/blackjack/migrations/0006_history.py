"""How limits and terms came to be as they are is kept, also of the tables that are written once."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("blackjack", "0005_balances"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("blackjack_config"),
        history_kept("blackjack_terms"),
        history_kept("blackjack_config_history", key="history_id"),
        history_kept("blackjack_terms_history", key="history_id"),
    ]
