"""The function that writes a bet."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("baccarat", "0002_append_only"),
        ("fairness", "0002_seed_guard"),
        ("idempotency", "0001_initial"),
        ("rounds", "0002_round_guard"),
        ("wallet", "0002_ledger"),
    ]
    operations = [sql_file(__file__, "0003_bet")]
