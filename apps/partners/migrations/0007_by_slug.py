"""Partners are found by how their short name begins, in any case of letters."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("partners", "0006_key_limits")]
    operations = [sql_file(__file__, "0007_by_slug")]
