"""The column of the limits' currency is called `currency`, as the documented table has it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("baccarat", "0003_bet"), ("core", "0002_change_refuse")]
    operations = [
        migrations.AlterField(
            model_name="baccaratconfig",
            name="currency",
            field=models.ForeignKey(
                db_column="currency",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="core.currency",
            ),
        ),
        migrations.AlterField(
            model_name="historicalbaccaratconfig",
            name="currency",
            field=models.ForeignKey(
                blank=True,
                db_column="currency",
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="core.currency",
            ),
        ),
    ]
