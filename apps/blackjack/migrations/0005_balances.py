"""The function that reads balances; the one that actions were written by before they came as one array is dropped."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("blackjack", "0004_store")]
    operations = [sql_file(__file__, "0005_balances")]
