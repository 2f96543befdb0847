"""Seals of format 2: sections under a Merkle root, signed, with a fingerprint of each row they cover."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.sql import append_only


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0003_refill'),
    ]

    operations = [
        migrations.CreateModel(
            name='SealedBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('number', models.IntegerField()),
                ('row_keys', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('fingerprints', django.contrib.postgres.fields.ArrayField(base_field=models.BinaryField(max_length=16), size=None)),
            ],
            options={
                'db_table': 'sealed_block',
            },
        ),
        migrations.CreateModel(
            name='SealedSection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('type', models.CharField(max_length=20)),
                ('name', models.CharField(blank=True, max_length=63)),
                ('content', models.TextField()),
            ],
            options={
                'db_table': 'sealed_section',
            },
        ),
        migrations.RemoveConstraint(
            model_name='dailyseal',
            name='daily_seal_follows_one',
        ),
        migrations.AddField(
            model_name='dailyseal',
            name='format',
            field=models.SmallIntegerField(db_default=1, default=2),
        ),
        migrations.AddField(
            model_name='dailyseal',
            name='key_id',
            field=models.CharField(blank=True, db_default='', default='', max_length=16),
        ),
        migrations.AddField(
            model_name='dailyseal',
            name='root',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AddField(
            model_name='dailyseal',
            name='signature',
            field=models.CharField(blank=True, db_default='', default='', max_length=128),
        ),
        migrations.AddConstraint(
            model_name='dailyseal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('format', 1), ('root', ''), ('signature', '')), models.Q(('format', 2), models.Q(('root', ''), _negated=True), models.Q(('signature', ''), _negated=True)), _connector='OR'), name='daily_seal_format'),
        ),
        migrations.AddField(
            model_name='sealedsection',
            name='seal',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sections', to='wallet.dailyseal'),
        ),
        migrations.AddField(
            model_name='sealedblock',
            name='section',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='blocks', to='wallet.sealedsection'),
        ),
        migrations.AddConstraint(
            model_name='sealedsection',
            constraint=models.UniqueConstraint(fields=('seal', 'type', 'name'), name='sealed_section_one'),
        ),
        migrations.AddConstraint(
            model_name='sealedblock',
            constraint=models.UniqueConstraint(fields=('section', 'number'), name='sealed_block_one'),
        ),
        # Seals that are there already may have been taken by a server whose clock was ahead: the proof names them.
        migrations.RunSQL(
            "ALTER TABLE daily_seal ADD CONSTRAINT daily_seal_day_has_ended"
            " CHECK (day < (ctime AT TIME ZONE 'UTC')::date) NOT VALID;",
            "ALTER TABLE daily_seal DROP CONSTRAINT daily_seal_day_has_ended;",
        ),
        *append_only("sealed_section", "sealed_block"),
    ]
