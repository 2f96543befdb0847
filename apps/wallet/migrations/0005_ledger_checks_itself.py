"""The ledger's own trigger finds the wallet: no foreign key looks again."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0004_fewer_indexes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='wallettransaction',
            name='house_account',
            field=models.ForeignKey(db_constraint=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.houseaccount'),
        ),
        migrations.AlterField(
            model_name='wallettransaction',
            name='wallet',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='transactions', to='wallet.wallet'),
        ),
        sql_file(__file__, "0005_ledger_checks_itself"),
    ]
