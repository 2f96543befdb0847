"""How seed pairs came to be as they are is kept, but for the nonce, which every round counts up."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("fairness", "0002_seed_guard"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept(
            "seed_pair", left_out=["next_nonce"], hashed=["sealed_seed", "server_seed"], by_columns=True
        ),
    ]
