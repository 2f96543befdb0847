"""Play money is not refilled while a round of the player is open: its stake may come back yet."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0002_round_guard"), ("wallet", "0003_refill")]
    operations = [sql_file(__file__, "0003_refill_guard")]
