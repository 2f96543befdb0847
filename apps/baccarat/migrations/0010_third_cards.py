"""Third cards are counted like the first four, also those of days that were folded before."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('baccarat', '0009_paytable'),
        ('statistics', '0008_zone_after_utc'),
        ('rounds', '0006_paytable'),
        ('tables', '0001_initial'),
    ]

    operations = [
        # Years of rounds take longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        sql_file(__file__, '0010_third_cards'),
    ]
