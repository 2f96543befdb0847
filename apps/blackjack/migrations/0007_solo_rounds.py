"""The solo game's open round is found among the solo rounds: a player may have one at a table as well."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("blackjack", "0006_history"), ("rounds", "0005_table_round")]
    operations = [sql_file(__file__, "0007_solo_rounds")]
