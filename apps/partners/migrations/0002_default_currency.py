"""The currency that a partner's configuration is in when it names none."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("core", "0002_change_refuse"), ("partners", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="partner",
            name="default_currency",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="core.currency",
            ),
        ),
    ]
