"""The origins of pages that may show our tables in a frame."""

import django.contrib.postgres.fields
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("partners", "0003_history")]
    operations = [
        migrations.AddField(
            "partner",
            "frame_origins",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=262), blank=True, default=list, size=None
            ),
        ),
        sql_file(__file__, "0004_frame_origins"),
    ]
