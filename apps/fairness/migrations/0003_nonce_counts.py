"""The seed pair's guard is called where there is something to guard."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("fairness", "0002_seed_guard")]
    operations = [sql_file(__file__, "0003_nonce_counts")]
