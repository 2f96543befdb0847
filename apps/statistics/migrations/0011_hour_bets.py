"""The number of bets of an hour. Rows that are there already have none, since their rounds are not counted again."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('statistics', '0010_known_zones'),
    ]

    operations = [
        migrations.AddField(
            model_name='partnerhour',
            name='bets',
            field=models.BigIntegerField(null=True),
        ),
    ]
