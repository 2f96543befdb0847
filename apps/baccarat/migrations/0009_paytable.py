"""Limits name the pay table of their odds; bets read it, and rounds keep it."""

import django.db.models.deletion
from django.db import migrations, models

from apps.one_deal.store_sql import store_sql


class Migration(migrations.Migration):

    dependencies = [
        ('baccarat', '0008_history'),
        ('paytables', '0001_initial'),
        ('rounds', '0006_paytable'),
    ]

    operations = [
        migrations.AddField(
            model_name='baccaratconfig',
            name='paytable',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable'),
        ),
        migrations.AddField(
            model_name='historicalbaccaratconfig',
            name='paytable',
            field=models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='paytables.paytable'),
        ),
        store_sql(2, game="baccarat", game_id="og-baccarat", sides=("player", "banker")),
    ]
