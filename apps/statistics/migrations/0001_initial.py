"""Sums of rounds and movements by day and month."""

import apps.core.models
import apps.statistics.models
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0002_history'),
        ('core', '0004_history'),
        ('partners', '0003_history'),
        ('paytables', '0002_guards'),
        ('wallet', '0005_history'),
    ]

    operations = [
        migrations.CreateModel(
            name='FoldState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('edge', models.DateTimeField(null=True)),
                ('candidate', models.DateTimeField(null=True)),
                ('waits_for', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
            ],
            options={
                'db_table': 'statistics_fold',
                'constraints': [models.CheckConstraint(condition=models.Q(('pk', 1)), name='statistics_fold_one')],
            },
        ),
        migrations.CreateModel(
            name='StatisticsDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('day', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('corrected', models.IntegerField()),
            ],
            options={
                'db_table': 'statistics_day',
                'ordering': ['-day', 'zone'],
                'constraints': [models.UniqueConstraint(fields=('day', 'zone'), name='statistics_day_once')],
            },
        ),
        migrations.CreateModel(
            name='MovementDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('kind', models.CharField(choices=[('deposit', 'deposit'), ('withdrawal', 'withdrawal'), ('bet', 'bet'), ('reward', 'reward'), ('refund', 'refund'), ('adjustment', 'adjustment'), ('refill', 'refill')], max_length=12)),
                ('count', models.BigIntegerField()),
                ('change', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('house_account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.houseaccount')),
            ],
            options={
                'db_table': 'movement_day',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('period', 'zone', 'house_account', 'kind'), name='movement_day_key')],
            },
        ),
        migrations.CreateModel(
            name='PartnerZone',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('zone', models.CharField(max_length=60)),
                ('from_day', models.DateField()),
                ('by', models.CharField(max_length=160)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
            ],
            options={
                'db_table': 'partner_zone',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('partner', 'from_day'), name='partner_zone_from')],
            },
        ),
        migrations.CreateModel(
            name='PlayerDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('game', models.CharField(max_length=20)),
                ('n', models.BigIntegerField()),
                ('stake', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('payout', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('voided_n', models.BigIntegerField()),
                ('voided_stake', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('voided_payout', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.player')),
            ],
            options={
                'db_table': 'player_day',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('period', 'zone', 'partner', 'player', 'currency', 'game'), name='player_day_key')],
            },
        ),
        migrations.CreateModel(
            name='PlayStat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('level', models.CharField(choices=[('day', 'day'), ('month', 'month')], max_length=5)),
                ('game', models.CharField(max_length=20)),
                ('kind', models.CharField(max_length=40)),
                ('door', models.CharField(max_length=10)),
                ('device', models.CharField(default='unknown', max_length=10)),
                ('band', models.SmallIntegerField()),
                ('n', models.BigIntegerField()),
                ('bets', models.BigIntegerField()),
                ('stake', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('payout', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('stake_squared', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('expected', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('variance', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('hits', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('voided_n', models.BigIntegerField()),
                ('voided_stake', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('voided_payout', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('paytable', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable')),
            ],
            options={
                'db_table': 'play_stat',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('level', 'period', 'zone', 'partner', 'currency', 'game', 'paytable', 'kind', 'door', 'device', 'band'), name='play_stat_key', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('level', 'day'), models.Q(('closed_at__isnull', False), ('level', 'month')), _connector='OR'), name='play_stat_level')],
            },
        ),
    ]
