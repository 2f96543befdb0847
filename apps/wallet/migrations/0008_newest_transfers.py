"""The back office lists the newest transfers, and finds a transfer by the partner's own id."""

import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0007_movements_by_time'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(condition=models.Q(('kind__in', ['deposit', 'withdrawal', 'adjustment', 'refill'])), fields=['-id'], name='wallet_transfers_newest'),
        ),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(django.db.models.functions.text.Lower(models.Func('source_key', models.Value('^transfer:[0-9]+:'), models.Value(''), function='regexp_replace', output_field=models.TextField())), condition=models.Q(('kind__in', ['deposit', 'withdrawal'])), name='wallet_transaction_own_id'),
        ),
    ]
