"""Two partners of one name cannot be told apart in a report: a later one gets its slug behind its name."""

import django.db.models.functions.text
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("partners", "0004_frame_origins")]
    operations = [
        sql_file(__file__, "0005_name_once"),
        migrations.AddConstraint(
            model_name="partner",
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower("name"), name="partner_name_once"),
        ),
    ]
