"""A bet is written only if all of its context is still current, since a process keeps contexts from bet to bet."""

from django.db import migrations

from apps.one_deal.store_sql import store_sql


class Migration(migrations.Migration):

    dependencies = [('baccarat', '0010_third_cards')]

    operations = [store_sql(3, game='baccarat', game_id='og-baccarat', sides=('player', 'banker'))]
