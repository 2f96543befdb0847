"""The two calls of an action."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("blackjack", "0001_initial"),
        ("wallet", "0002_ledger"),
        ("rounds", "0002_round_guard"),
        ("fairness", "0002_seed_guard"),
        ("idempotency", "0001_initial"),
    ]
    operations = [sql_file(__file__, "0002_play")]
