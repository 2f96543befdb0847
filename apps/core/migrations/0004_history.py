"""How currencies came to be as they are is kept."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_play_money"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("currency", key="code"),
    ]
