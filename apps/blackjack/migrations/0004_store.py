"""The functions that read for actions and write them: a batch of actions goes as one JSON array."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("blackjack", "0003_default_currency"),
    ]
    operations = [sql_file(__file__, "0004_store")]
