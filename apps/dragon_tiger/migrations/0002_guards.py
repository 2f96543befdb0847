"""Dragon tiger's records, and the history of limits and odds, are written once; its store's functions."""

from django.db import migrations

from apps.core.sql import append_only
from apps.one_deal.store_sql import store_sql


class Migration(migrations.Migration):
    dependencies = [
        ("dragon_tiger", "0001_initial"),
        ("core", "0002_change_refuse"),
        ("fairness", "0002_seed_guard"),
        ("idempotency", "0001_initial"),
        ("rounds", "0002_round_guard"),
        ("wallet", "0002_ledger"),
    ]
    operations = [
        *append_only("dragon_tiger_game_record", "dragon_tiger_config_history", "dragon_tiger_odds_config_history"),
        store_sql(1, game="dragon_tiger", game_id="og-dragon-tiger", sides=("dragon", "tiger")),
    ]
