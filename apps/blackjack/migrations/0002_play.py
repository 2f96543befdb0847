"""The function that writes an action; the state of an ended round and the history of terms are written once."""

from django.db import migrations

from apps.core.sql import append_only, sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("blackjack", "0001_initial"),
        ("wallet", "0002_ledger"),
        ("rounds", "0002_round_guard"),
        ("fairness", "0002_seed_guard"),
        ("idempotency", "0001_initial"),
    ]
    operations = [
        sql_file(__file__, "0002_play"),
        *append_only("blackjack_config_history", "blackjack_terms_history"),
    ]
