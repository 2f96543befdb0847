"""The function that bets were written by before they came as one JSON array is dropped."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("baccarat", "0005_store")]
    operations = [sql_file(__file__, "0006_former_settle")]
