"""Pay tables are written once, and their history is kept besides."""

from django.db import migrations

from apps.core.sql import append_only, history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [("paytables", "0001_initial"), ("audit", "0003_row_change"), ("core", "0002_change_refuse")]
    operations = [
        sql_file(__file__, "0002_guards"),
        *append_only("paytable", "paytable_line", "paytable_use"),
        history_kept("paytable"),
        history_kept("paytable_line"),
        history_kept("paytable_use"),
    ]
