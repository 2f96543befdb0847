"""The state of the watch over RTPs, its alarms, and who publishes."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('approvals', '0003_insert_guard'),
        ('partners', '0005_name_once'),
        ('paytables', '0002_guards'),
    ]

    operations = [
        migrations.CreateModel(
            name='EvidenceAlarm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('game', models.CharField(max_length=20)),
                ('kind', models.CharField(max_length=40)),
                ('law', models.CharField(max_length=64)),
                ('is_play', models.BooleanField(verbose_name='play money')),
                ('part', models.CharField(choices=[('all', 'all rounds'), ('partner', 'one partner'), ('door', 'one channel')], max_length=10)),
                ('value', models.CharField(blank=True, max_length=20)),
                ('measure', models.CharField(choices=[('e', 'evidence over all rounds'), ('R', 'evidence that restarts'), ('payout', "payouts that are not the pay table's")], max_length=10)),
                ('evidence', models.FloatField(null=True)),
                ('threshold', models.FloatField()),
                ('n', models.BigIntegerField()),
            ],
            options={
                'verbose_name': 'RTP alarm',
                'db_table': 'evidence_alarm',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='EvidenceAlarmMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('recipients', models.IntegerField()),
                ('alarm', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='mail', to='evidence.evidencealarm')),
            ],
            options={
                'db_table': 'evidence_alarm_mail',
            },
        ),
        migrations.CreateModel(
            name='EvidenceDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('game', models.CharField(max_length=20)),
                ('kind', models.CharField(max_length=40)),
                ('law', models.CharField(max_length=64)),
                ('is_play', models.BooleanField(verbose_name='play money')),
                ('part', models.CharField(choices=[('all', 'all rounds'), ('partner', 'one partner'), ('door', 'one channel')], max_length=10)),
                ('value', models.CharField(blank=True, max_length=20)),
                ('day', models.DateField()),
                ('n', models.BigIntegerField()),
                ('products', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)),
                ('restarted', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list, size=None)),
            ],
            options={
                'db_table': 'evidence_day',
                'ordering': ['-day', 'id'],
                'constraints': [models.UniqueConstraint(fields=('day', 'game', 'kind', 'law', 'is_play', 'part', 'value'), name='evidence_day_once')],
            },
        ),
        migrations.CreateModel(
            name='PayTableOnAlarm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('on_alarm', models.CharField(choices=[('go_on', 'go on'), ('refuse', 'refuse new rounds')], max_length=10)),
                ('by', models.CharField(max_length=160)),
                ('reason', models.TextField()),
                ('paytable', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='paytables.paytable')),
            ],
            options={
                'verbose_name': "pay table's answer to alarms",
                'verbose_name_plural': "pay tables' answers to alarms",
                'db_table': 'paytable_on_alarm',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='RtpPublication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('is_allowed', models.BooleanField(verbose_name='published')),
                ('by', models.CharField(max_length=160)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
            ],
            options={
                'verbose_name': 'publication of RTP',
                'verbose_name_plural': 'publications of RTP',
                'db_table': 'rtp_publication',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='EvidenceAlarmClose',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('by', models.CharField(max_length=160)),
                ('reason', models.TextField()),
                ('products', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)),
                ('alarm', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='close', to='evidence.evidencealarm')),
                ('approval', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='approvals.approval')),
            ],
            options={
                'db_table': 'evidence_alarm_close',
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='evidence_alarm_close_reason')],
            },
        ),
    ]
