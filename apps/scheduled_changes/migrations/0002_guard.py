"""A scheduled change stays as it is and ends once; how it came to be as it is is kept."""

from django.db import migrations

from apps.core.sql import history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [("scheduled_changes", "0001_initial"), ("audit", "0003_row_change")]
    operations = [sql_file(__file__, "0002_guard"), history_kept("scheduled_change")]
