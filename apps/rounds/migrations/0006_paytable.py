"""A round names the pay table that it is settled by, and keeps it."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('paytables', '0001_initial'),
        ('rounds', '0005_table_round'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='paytable',
            field=models.ForeignKey(db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable'),
        ),
        sql_file(__file__, "0006_paytable"),
    ]
