"""Where a session was opened from."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0009_paytable")]
    operations = [
        migrations.AddField(
            "tablesession",
            "address",
            models.CharField(blank=True, db_default="", default="", editable=False, max_length=45),
        ),
        sql_file(__file__, "0010_session_address"),
    ]
