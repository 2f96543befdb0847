"""What the player of a session uses."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0009_round_by_end")]
    operations = [
        migrations.AddField(
            "gamesession",
            "device",
            models.CharField(
                choices=[("desktop", "desktop"), ("mobile", "mobile"), ("app", "app"), ("unknown", "unknown")],
                db_default="unknown",
                default="unknown",
                max_length=10,
            ),
        ),
        sql_file(__file__, "0010_device"),
    ]
