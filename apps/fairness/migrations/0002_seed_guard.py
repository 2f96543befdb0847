"""A seed pair moves forward only, and reveals what it committed to."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("fairness", "0001_initial"), ("core", "0002_change_refuse")]
    operations = [sql_file(__file__, "0002_seed_guard")]
