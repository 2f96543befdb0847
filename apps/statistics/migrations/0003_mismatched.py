"""Rounds whose result or payout is not one of the pay table's are counted."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('statistics', '0002_guards'),
    ]

    operations = [
        migrations.AddField(
            model_name='playstat',
            name='mismatched',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
