"""Servers of a version before 0011 take bets during an upgrade."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('blackjack', '0012_bet_lock')]

    operations = [sql_file(__file__, '0013_former_bets')]
