"""The fold of the statistics finds rounds by the time of their end."""

import django.contrib.postgres.indexes
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_history'),
        ('core', '0004_history'),
        ('fairness', '0003_history'),
        ('partners', '0003_history'),
        ('paytables', '0002_guards'),
        ('rounds', '0008_launch_code_again'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='round',
            index=django.contrib.postgres.indexes.BrinIndex(autosummarize=True, fields=['ended_at'], name='game_round_by_end'),
        ),
    ]
