"""A bet is written only if all of its context is still current, since a process keeps contexts from bet to bet."""

from django.db import migrations

from apps.one_deal.store_sql import store_sql


class Migration(migrations.Migration):

    dependencies = [('dragon_tiger', '0004_paytable')]

    operations = [store_sql(3, game='dragon_tiger', game_id='og-dragon-tiger', sides=('dragon', 'tiger'))]
