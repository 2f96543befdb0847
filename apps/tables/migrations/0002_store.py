"""Functions that read and write tables; rounds that ended, actions and chains stay as they are."""

from django.db import migrations

from apps.core.sql import append_only, sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0001_initial"),
        ("core", "0002_change_refuse"),
        ("rounds", "0005_table_round"),
        ("wallet", "0003_refill"),
    ]
    operations = [
        sql_file(__file__, "0002_store"),
        sql_file(__file__, "0002_sessions"),
        *append_only("table_action", "table_chain"),
    ]
