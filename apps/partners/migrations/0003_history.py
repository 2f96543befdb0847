"""How partners and their keys came to be as they are is kept."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("partners", "0002_default_currency"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("partner"),
        history_kept("api_key", left_out=["last_used_at"], hashed=["key_hash"]),
    ]
