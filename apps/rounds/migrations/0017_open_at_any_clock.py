"""A report of a past day bears a round that ended before its start, because the clock was set back."""

from django.db import migrations

from apps.core.sql import sql_file

# Among millions of rows an index takes longer than the servers' statements may, and it waits for all that run.
_NO_LIMITS = 'SET statement_timeout = 0; SET lock_timeout = 0'
_LIMITS = 'RESET statement_timeout; RESET lock_timeout'
_FORMER = """
    CREATE INDEX CONCURRENTLY game_round_over_quarter ON game_round USING gist (tstzrange(started_at, ended_at, '(]'))
        WHERE date_bin('15 min', ended_at, 'epoch') > date_bin('15 min', started_at, 'epoch')
"""


class Migration(migrations.Migration):

    atomic = False  # PostgreSQL builds an index beside bets only outside of a transaction

    dependencies = [
        ('rounds', '0016_open_over_quarter'),
    ]

    operations = [
        migrations.RunSQL(_NO_LIMITS, _LIMITS),
        # A build that was ended leaves an index that is not valid.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS game_round_open_at', migrations.RunSQL.noop),
        sql_file(__file__, '0017_open_at_any_clock'),
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS game_round_over_quarter', _FORMER),
        migrations.RunSQL(_LIMITS, _NO_LIMITS),
    ]
