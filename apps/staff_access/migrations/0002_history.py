"""How accesses came to be is kept, so that one that was put there past the triggers is named."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("staff_access", "0001_initial"),
        ("audit", "0003_row_change"),
    ]
    operations = [history_kept("staff_access", hashed=["address"])]
