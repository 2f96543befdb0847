"""No round ends before it begins."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('blackjack', '0013_former_bets')]

    operations = [sql_file(__file__, '0014_ended_after_start')]
