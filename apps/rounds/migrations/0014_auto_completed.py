"""The report of interrupted games finds them among any number of rounds."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rounds', '0013_open_rounds'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(condition=models.Q(('how_ended', 'auto_completed')), fields=['ended_at'], name='game_round_auto_completed'),
        ),
    ]
