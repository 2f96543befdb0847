"""A bet is checked and its wallet and seed pair are locked by one statement."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('blackjack', '0011_kept_contexts')]

    operations = [sql_file(__file__, '0012_bet_lock')]
