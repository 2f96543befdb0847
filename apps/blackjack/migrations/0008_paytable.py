"""Limits name the pay table of their terms; bets read it, and rounds keep it."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('blackjack', '0007_solo_rounds'),
        ('paytables', '0001_initial'),
        ('rounds', '0006_paytable'),
    ]

    operations = [
        migrations.AddField(
            model_name='blackjackconfig',
            name='paytable',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable'),
        ),
        migrations.AddField(
            model_name='historicalblackjackconfig',
            name='paytable',
            field=models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='paytables.paytable'),
        ),
        sql_file(__file__, "0008_paytable"),
    ]
