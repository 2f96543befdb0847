"""Rounds at tables keep their pay table."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0008_state_inline"), ("paytables", "0003_table_use"), ("rounds", "0006_paytable")]
    operations = [sql_file(__file__, "0009_paytable")]
