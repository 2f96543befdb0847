"""The newest sealed head of each wallet is found by an index: a seal keeps only the heads that differ from those."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0009_house_sums'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may. Only sealing waits for it.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='sealedhead',
            index=models.Index(fields=['wallet_id', 'seal'], name='sealed_head_by_wallet'),
        ),
    ]
