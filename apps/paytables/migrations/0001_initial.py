"""Pay tables, their theoretical figures, and their uses."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0004_history'),
        ('partners', '0003_history'),
    ]

    operations = [
        migrations.CreateModel(
            name='PayTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('game', models.CharField(max_length=20)),
                ('hash', models.CharField(max_length=64, unique=True)),
                ('document', models.TextField()),
                ('terms', models.JSONField()),
            ],
            options={
                'verbose_name': 'pay table',
                'db_table': 'paytable',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='PayTableLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('kind', models.CharField(max_length=40)),
                ('lines', models.JSONField()),
                ('rtp', models.DecimalField(decimal_places=12, max_digits=20, verbose_name='theoretical RTP')),
                ('deviation', models.DecimalField(decimal_places=12, max_digits=20, null=True, verbose_name='standard deviation')),
                ('method', models.CharField(max_length=40)),
                ('law', models.CharField(max_length=64)),
                ('paytable', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='paytables.paytable')),
            ],
            options={
                'verbose_name': 'pay table bet',
                'db_table': 'paytable_line',
                'ordering': ['paytable', 'id'],
                'constraints': [models.UniqueConstraint(fields=('paytable', 'kind'), name='paytable_line_kind'), models.CheckConstraint(condition=models.Q(('rtp__gte', 0)), name='paytable_line_rtp')],
            },
        ),
        migrations.CreateModel(
            name='PayTableUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('game', models.CharField(max_length=20)),
                ('available_from', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('decommissioned_at', models.DateTimeField(null=True)),
                ('by', models.CharField(max_length=160)),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('ends', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='end', to='paytables.paytableuse')),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('paytable', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uses', to='paytables.paytable')),
            ],
            options={
                'verbose_name': 'use of a pay table',
                'verbose_name_plural': 'uses of pay tables',
                'db_table': 'paytable_use',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['partner', 'currency', 'game', '-id'], name='paytable_use_by_offer')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('decommissioned_at__isnull', True), ('ends__isnull', True)), models.Q(('decommissioned_at__gte', models.F('available_from')), ('ends__isnull', False)), _connector='OR'), name='paytable_use_end')],
            },
        ),
    ]
