"""Changes of limits, odds and rules at a chosen time."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ('partners', '0006_key_limits'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ScheduledChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=60)),
                ('subject', models.CharField(max_length=160)),
                ('payload', models.JSONField()),
                ('apply_at', models.DateTimeField(verbose_name='takes effect')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='scheduled')),
                ('status', models.CharField(choices=[('waiting', 'waiting'), ('done', 'done'), ('refused', 'refused'), ('withdrawn', 'withdrawn')], default='waiting', max_length=10)),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_by', models.CharField(blank=True, default='', max_length=160)),
                ('outcome', models.TextField(blank=True, default='')),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
            ],
            options={
                'db_table': 'scheduled_change',
                'ordering': ['-apply_at', '-id'],
                'indexes': [models.Index(condition=models.Q(('status', 'waiting')), fields=['apply_at'], name='scheduled_change_due'), models.Index(condition=models.Q(('status', 'waiting')), fields=['subject'], name='scheduled_change_subject')],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['waiting', 'done', 'refused', 'withdrawn'])), name='scheduled_change_status'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('ended_by', ''), ('status', 'waiting')), models.Q(models.Q(('status', 'waiting'), _negated=True), ('ended_at__isnull', False), models.Q(('ended_by', ''), _negated=True)), _connector='OR'), name='scheduled_change_ended'), models.CheckConstraint(condition=models.Q(('status__in', ['waiting', 'done']), models.Q(('outcome', ''), _negated=True), _connector='OR'), name='scheduled_change_outcome')],
            },
        ),
    ]
