"""The luck of bets whose results depend on decisions."""

import apps.statistics.models
import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_history'),
        ('partners', '0005_name_once'),
        ('paytables', '0003_table_use'),
        ('statistics', '0005_mismatched_index'),
    ]

    operations = [
        migrations.CreateModel(
            name='LuckStat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('game', models.CharField(max_length=20)),
                ('kind', models.CharField(max_length=40)),
                ('door', models.CharField(max_length=10)),
                ('device', models.CharField(max_length=10)),
                ('band', models.SmallIntegerField()),
                ('n', models.BigIntegerField()),
                ('luck', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('luck_squared', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('given_away', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('logs', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('paytable', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable')),
            ],
            options={
                'db_table': 'luck_stat',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('period', 'zone', 'partner', 'currency', 'game', 'paytable', 'kind', 'door', 'device', 'band'), name='luck_stat_key')],
            },
        ),
        sql_file(__file__, '0006_luck_stat'),
    ]
