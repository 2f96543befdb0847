"""Log-ins are found by how their name begins, in any case of letters."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_log_in_names")]
    operations = [sql_file(__file__, "0008_by_name")]
