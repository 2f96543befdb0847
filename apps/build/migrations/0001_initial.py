"""Checks of the build."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='BuildCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('scope', models.CharField(choices=[('start', 'start: own files and database'), ('all', 'all: packages, settings and signature too')], max_length=5)),
                ('by', models.CharField(max_length=160)),
                ('version', models.CharField(max_length=40)),
                ('manifest_hash', models.CharField(max_length=64)),
                ('is_signed', models.BooleanField()),
                ('found', models.IntegerField()),
                ('differences', models.JSONField()),
            ],
            options={
                'db_table': 'build_check',
                'ordering': ['-id'],
            },
        ),
    ]
