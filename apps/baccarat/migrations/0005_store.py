"""The functions that read for bets and write them: a batch of bets goes as one JSON array."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("baccarat", "0004_currency_column"),
        ("accounts", "0001_initial"),
        ("partners", "0001_initial"),
    ]
    operations = [sql_file(__file__, "0005_store")]
