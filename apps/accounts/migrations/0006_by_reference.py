"""Players are found by how their reference begins, in any case of letters."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_favourite")]
    operations = [sql_file(__file__, "0006_by_reference")]
