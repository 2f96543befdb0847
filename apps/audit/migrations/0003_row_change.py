"""The history of rows that may change, and what removes rows whose time has passed."""

import django.contrib.postgres.fields
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.sql import append_only, history_kept, sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0002_append_only'),
    ]

    operations = [
        migrations.CreateModel(
            name='RowRemoval',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('table_name', models.CharField(max_length=63)),
                ('row_keys', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
            ],
            options={
                'db_table': 'row_removal',
            },
        ),
        migrations.CreateModel(
            name='RowChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('table_name', models.CharField(max_length=63)),
                ('row_key', models.TextField()),
                ('number', models.BigIntegerField()),
                ('op', models.CharField(choices=[('=', 'was there when its history began'), ('+', 'made'), ('~', 'changed'), ('-', 'removed')], max_length=1)),
                ('content', models.JSONField()),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'db_table': 'row_change',
                'constraints': [models.UniqueConstraint(fields=('table_name', 'row_key', 'number'), name='row_change_number')],
            },
        ),
        sql_file(__file__, "0003_row_change"),
        *append_only("row_change", "row_removal"),
        history_kept("audit_entry"),
        history_kept("row_removal", hashed=["row_keys"]),
    ]
