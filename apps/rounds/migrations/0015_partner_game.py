"""The rounds of one of a partner's games are found by an index alone. It replaces one, so a round writes as many."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

# Among millions of rows an index takes longer than the servers' statements may, and it waits for all that run.
_NO_LIMITS = 'SET statement_timeout = 0; SET lock_timeout = 0'
_LIMITS = 'RESET statement_timeout; RESET lock_timeout'


class Migration(migrations.Migration):

    atomic = False  # PostgreSQL builds an index beside bets only outside of a transaction

    dependencies = [
        ('rounds', '0014_auto_completed'),
    ]

    operations = [
        migrations.RunSQL(_NO_LIMITS, _LIMITS),
        # A build that was ended leaves an index that is not valid.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS game_round_by_partner_game', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='round',
            index=models.Index(fields=['partner', '-started_at', 'game'], name='game_round_by_partner_game'),
        ),
        RemoveIndexConcurrently(
            model_name='round',
            name='game_round_by_partner',
        ),
        migrations.RunSQL(_LIMITS, _NO_LIMITS),
    ]
