"""A change finds the former one of its row by the index, however long the history is."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_by_subject")]
    operations = [sql_file(__file__, "0005_row_change_index")]
