"""Where a session was first used from."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0011_round_share")]
    operations = [
        migrations.AddField(
            "gamesession",
            "address",
            models.CharField(blank=True, db_default="", default="", editable=False, max_length=45),
        ),
        sql_file(__file__, "0012_session_address"),
    ]
