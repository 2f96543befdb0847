"""The fold finds the few rows of days that are not closed by an index, each 30 seconds."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('statistics', '0012_zone_withdrawn'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='playstat',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['zone', 'period'], name='play_stat_open'),
        ),
        migrations.AddIndex(
            model_name='movementday',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['zone', 'period'], name='movement_day_open'),
        ),
    ]
