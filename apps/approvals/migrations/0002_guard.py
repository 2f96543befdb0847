"""An approval is decided once, in time, by two persons; how it came to be as it is is kept."""

from django.db import migrations

from apps.core.sql import history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [("approvals", "0001_initial"), ("audit", "0003_row_change")]
    operations = [sql_file(__file__, "0002_guard"), history_kept("approval")]
