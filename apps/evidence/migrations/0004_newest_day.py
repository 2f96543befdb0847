"""The watch finds the newest kept day of each slice by an index, each minute."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evidence', '0003_card_alarms'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='evidenceday',
            index=models.Index(fields=['game', 'kind', 'law', 'is_play', 'part', 'value', '-day'], name='evidence_day_newest'),
        ),
    ]
