"""Counts of faces by place of the dealing order."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('statistics', '0003_mismatched'),
    ]

    operations = [
        migrations.CreateModel(
            name='CardStat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField()),
                ('zone', models.CharField(max_length=60)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('game', models.CharField(max_length=20)),
                ('decks', models.SmallIntegerField()),
                ('place', models.SmallIntegerField()),
                ('card', models.CharField(max_length=3)),
                ('count', models.BigIntegerField()),
            ],
            options={
                'db_table': 'card_stat',
                'ordering': ['-period', 'id'],
                'constraints': [models.UniqueConstraint(fields=('period', 'zone', 'game', 'decks', 'place', 'card'), name='card_stat_key')],
            },
        ),
        sql_file(__file__, '0004_card_stat'),
    ]
