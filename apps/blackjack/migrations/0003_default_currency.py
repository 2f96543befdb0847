"""Partners that were here before have a default currency too: that of their first configuration of either game."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("blackjack", "0002_play"),
        ("baccarat", "0004_currency_column"),
        ("partners", "0002_default_currency"),
    ]
    operations = [sql_file(__file__, "0003_default_currency")]
