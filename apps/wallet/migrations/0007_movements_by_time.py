"""Reports find the movements of a wallet, of a house account, and of transfers by their time."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0006_transfers'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AlterField(
            model_name='wallettransaction',
            name='house_account',
            field=models.ForeignKey(db_constraint=False, db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.houseaccount'),
        ),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(fields=['house_account', 'ctime'], name='wallet_transaction_by_house'),
        ),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(fields=['wallet', 'ctime'], name='wallet_transaction_by_wallet'),
        ),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(condition=models.Q(('kind__in', ['deposit', 'withdrawal', 'adjustment', 'refill'])), fields=['ctime'], name='wallet_transfers_by_time'),
        ),
    ]
