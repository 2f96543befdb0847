"""A report of a past day finds the rounds that were open at its end among any number of rounds."""

from django.db import migrations

from apps.core.sql import sql_file

# Among millions of rows an index takes longer than the servers' statements may, and it waits for all that run.
_NO_LIMITS = 'SET statement_timeout = 0; SET lock_timeout = 0'
_LIMITS = 'RESET statement_timeout; RESET lock_timeout'


class Migration(migrations.Migration):

    atomic = False  # PostgreSQL builds an index beside bets only outside of a transaction

    dependencies = [
        ('rounds', '0015_partner_game'),
    ]

    operations = [
        migrations.RunSQL(_NO_LIMITS, _LIMITS),
        # A build that was ended leaves an index that is not valid.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS game_round_over_quarter', migrations.RunSQL.noop),
        sql_file(__file__, '0016_open_over_quarter'),
        migrations.RunSQL(_LIMITS, _NO_LIMITS),
    ]
