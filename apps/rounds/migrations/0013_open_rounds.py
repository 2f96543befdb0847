"""Open rounds, and those of a game that few play, are found among any number of rounds."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rounds', '0012_session_address'),
    ]

    operations = [
        # Among millions of rows an index takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(condition=models.Q(('how_ended', '')), fields=['started_at'], name='game_round_open'),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(fields=['game', '-started_at'], name='game_round_by_game'),
        ),
    ]
