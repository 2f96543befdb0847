"""Limits name the pay table of their odds; bets read it, and rounds keep it."""

import django.db.models.deletion
from django.db import migrations, models

from apps.one_deal.store_sql import store_sql


class Migration(migrations.Migration):

    dependencies = [
        ('dragon_tiger', '0003_history'),
        ('paytables', '0001_initial'),
        ('rounds', '0006_paytable'),
    ]

    operations = [
        migrations.AddField(
            model_name='dragontigerconfig',
            name='paytable',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable'),
        ),
        migrations.AddField(
            model_name='historicaldragontigerconfig',
            name='paytable',
            field=models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='paytables.paytable'),
        ),
        store_sql(2, game="dragon_tiger", game_id="og-dragon-tiger", sides=("dragon", "tiger")),
    ]
