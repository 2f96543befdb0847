"""The state of an ended round, and the history of limits and terms, are written once."""

from django.db import migrations

from apps.core.sql import append_only, sql_file


class Migration(migrations.Migration):
    dependencies = [("blackjack", "0002_play"), ("core", "0002_change_refuse")]
    operations = [
        sql_file(__file__, "0003_round_stays"),
        *append_only("blackjack_config_history", "blackjack_terms_history"),
    ]
