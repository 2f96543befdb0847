"""Sums by partner, game and day, which cost the same with any number of players."""

import apps.statistics.models
import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_history'),
        ('partners', '0005_name_once'),
        ('statistics', '0006_luck_stat'),
    ]

    operations = [
        # Years of days take longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.CreateModel(
            name='GameDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('game', models.CharField(max_length=20)),
                ('n', models.BigIntegerField()),
                ('bets', models.BigIntegerField()),
                ('stake', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('payout', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('voided_n', models.BigIntegerField()),
                ('voided_stake', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('voided_payout', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
            ],
            options={
                'db_table': 'game_day',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('period', 'zone', 'partner', 'currency', 'game'), name='game_day_key')],
            },
        ),
        sql_file(__file__, '0007_game_day'),
    ]
