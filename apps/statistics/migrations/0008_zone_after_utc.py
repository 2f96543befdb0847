"""A partner's time zone begins on a day that has begun neither there nor in UTC."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('statistics', '0007_game_day')]

    operations = [sql_file(__file__, '0008_zone_after_utc')]
