"""The database refuses an approval that begins as decided."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("approvals", "0002_guard")]
    operations = [sql_file(__file__, "0003_insert_guard")]
