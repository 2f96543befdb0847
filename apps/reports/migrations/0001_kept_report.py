"""Reports are kept each night, and written once."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.sql import append_only, history_kept


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('audit', '0003_row_change'),
        ('core', '0002_change_refuse'),
        ('partners', '0006_key_limits'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeptReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('name', models.CharField(max_length=40)),
                ('day', models.DateField()),
                ('head', models.JSONField()),
                ('row_count', models.IntegerField()),
                ('body', models.BinaryField()),
                ('sha256', models.CharField(max_length=64)),
                ('partner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
            ],
            options={
                'db_table': 'kept_report',
                'ordering': ['-day', 'partner', 'name'],
                'constraints': [models.UniqueConstraint(fields=('day', 'name', 'partner'), name='kept_report_once', nulls_distinct=False)],
            },
        ),
        migrations.RunSQL(
            "ALTER TABLE kept_report ADD CONSTRAINT kept_report_sha256 CHECK (sha256 = encode(sha256(body), 'hex'));",
            "ALTER TABLE kept_report DROP CONSTRAINT kept_report_sha256;",
        ),
        *append_only("kept_report"),
        history_kept("kept_report", hashed=("body",)),
    ]
