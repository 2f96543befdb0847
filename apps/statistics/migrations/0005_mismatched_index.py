"""The few rows with a wrong payout are found by an index."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_history'),
        ('partners', '0005_name_once'),
        ('paytables', '0002_guards'),
        ('statistics', '0004_card_stat'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='playstat',
            index=models.Index(condition=models.Q(('level', 'day'), ('mismatched__gt', 0)), fields=['game'], name='play_stat_mismatched'),
        ),
    ]
