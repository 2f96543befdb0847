"""Sums by partner and hour, for comparisons within a day and for the hours of a week."""

import apps.statistics.models
import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_history'),
        ('partners', '0007_by_slug'),
        ('rounds', '0009_round_by_end'),
        ('tables', '0001_initial'),
        ('statistics', '0008_zone_after_utc'),
    ]

    operations = [
        # A month of rounds takes longer than the servers' statements may.
        migrations.RunSQL('SET LOCAL statement_timeout = 0', migrations.RunSQL.noop),
        migrations.CreateModel(
            name='PartnerHour',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('hour', models.SmallIntegerField()),
                ('n', models.BigIntegerField()),
                ('stake', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('payout', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('voided_n', models.BigIntegerField()),
                ('voided_stake', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('voided_payout', apps.statistics.models.SumField(decimal_places=16, max_digits=40)),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
            ],
            options={
                'db_table': 'partner_hour',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('period', 'zone', 'partner', 'currency', 'hour'), name='partner_hour_key')],
            },
        ),
        sql_file(__file__, '0009_partner_hour'),
    ]
