"""Significant events, their chain, and thresholds."""

import apps.core.models
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='EventLink',
            fields=[
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('number', models.BigIntegerField(primary_key=True, serialize=False)),
                ('event_id', models.BigIntegerField(unique=True)),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'db_table': 'event_link',
                'ordering': ['-number'],
            },
        ),
        migrations.CreateModel(
            name='EventThreshold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('kind', models.CharField(choices=[('login_failed', 'failed log-ins'), ('authentication_mismatch', 'authentication mismatch'), ('unavailable', 'unavailable, start or stop'), ('large_win', 'large win'), ('large_wager', 'large wager'), ('override', 'override'), ('data_changed', 'data changed'), ('software_changed', 'software changed'), ('policy_changed', 'policy changed'), ('clock_changed', 'clock changed'), ('game_changed', 'game changed'), ('jackpot_changed', 'jackpot changed'), ('incentive_changed', 'incentive changed'), ('account_changed', 'account changed'), ('data_lost', 'data lost'), ('intervention', 'intervention'), ('unusual', 'unusual')], max_length=30)),
                ('measure', models.CharField(max_length=20)),
                ('currency', models.CharField(blank=True, max_length=8)),
                ('value', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('by', models.CharField(max_length=160)),
                ('reason', models.TextField()),
            ],
            options={
                'db_table': 'event_threshold',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['kind', 'measure', 'currency', '-id'], name='event_threshold_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('value__gt', 0)), name='event_threshold_positive')],
            },
        ),
        migrations.CreateModel(
            name='EventWatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(null=True)),
            ],
            options={
                'db_table': 'event_watch',
                'constraints': [models.CheckConstraint(condition=models.Q(('pk', 1)), name='event_watch_one')],
            },
        ),
        migrations.CreateModel(
            name='SignificantEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('kind', models.CharField(choices=[('login_failed', 'failed log-ins'), ('authentication_mismatch', 'authentication mismatch'), ('unavailable', 'unavailable, start or stop'), ('large_win', 'large win'), ('large_wager', 'large wager'), ('override', 'override'), ('data_changed', 'data changed'), ('software_changed', 'software changed'), ('policy_changed', 'policy changed'), ('clock_changed', 'clock changed'), ('game_changed', 'game changed'), ('jackpot_changed', 'jackpot changed'), ('incentive_changed', 'incentive changed'), ('account_changed', 'account changed'), ('data_lost', 'data lost'), ('intervention', 'intervention'), ('unusual', 'unusual')], max_length=30)),
                ('component', models.CharField(max_length=40)),
                ('actor', models.CharField(max_length=160)),
                ('authorised_by', models.CharField(blank=True, default='', max_length=160)),
                ('partner_id', models.BigIntegerField(null=True)),
                ('subject', models.CharField(blank=True, max_length=160)),
                ('reason', models.TextField(blank=True)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('round_id', models.UUIDField(null=True)),
                ('amount', apps.core.models.AmountField(decimal_places=8, max_digits=20, null=True)),
                ('currency', models.CharField(blank=True, max_length=8)),
                ('once', models.CharField(max_length=160, null=True, unique=True)),
            ],
            options={
                'db_table': 'significant_event',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['kind', '-id'], name='event_by_kind'), models.Index(fields=['partner_id', '-id'], name='event_by_partner'), models.Index(fields=['ctime'], name='event_by_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['login_failed', 'authentication_mismatch', 'unavailable', 'large_win', 'large_wager', 'override', 'data_changed', 'software_changed', 'policy_changed', 'clock_changed', 'game_changed', 'jackpot_changed', 'incentive_changed', 'account_changed', 'data_lost', 'intervention', 'unusual'])), name='event_kind')],
            },
        ),
    ]
