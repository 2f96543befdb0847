"""How game sessions and voids came to be as they are is kept."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("rounds", "0003_refill_guard"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept(
            "game_session", left_out=["connection"], hashed=["token_hash", "return_url"], by_columns=True
        ),
        history_kept("round_void"),
    ]
