"""Switches of bets and rounds."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Switch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(choices=[('everything', 'everything'), ('game', 'game'), ('pay_table', 'pay table'), ('partner', 'partner'), ('player', 'player'), ('table', 'table')], max_length=10)),
                ('key', models.CharField(blank=True, max_length=40)),
                ('is_off', models.BooleanField()),
                ('reason', models.TextField()),
                ('by', models.CharField(max_length=160)),
                ('authorised_by', models.CharField(blank=True, max_length=160)),
                ('mtime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='changed')),
            ],
            options={
                'verbose_name_plural': 'switches',
                'db_table': 'switch',
                'ordering': ['-is_off', '-mtime'],
                'indexes': [models.Index(condition=models.Q(('is_off', True)), fields=['scope', 'key'], name='switch_off')],
                'constraints': [models.UniqueConstraint(fields=('scope', 'key'), name='switch_once'), models.CheckConstraint(condition=models.Q(('scope__in', ['everything', 'game', 'pay_table', 'partner', 'player', 'table'])), name='switch_scope'), models.CheckConstraint(condition=models.Q(models.Q(('key', ''), ('scope', 'everything')), models.Q(models.Q(('scope', 'everything'), _negated=True), models.Q(('key', ''), _negated=True)), _connector='OR'), name='switch_key')],
            },
        ),
    ]
