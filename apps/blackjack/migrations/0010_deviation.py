"""The deviation of the main game beside its house edge; empty for terms from before, which the worker makes up for."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [('blackjack', '0009_free_play')]

    operations = [
        migrations.AddField(
            model_name='blackjackterms',
            name='deviation',
            field=models.DecimalField(decimal_places=8, editable=False, max_digits=12, null=True),
        ),
        migrations.AddField(
            model_name='historicalblackjackterms',
            name='deviation',
            field=models.DecimalField(decimal_places=8, editable=False, max_digits=12, null=True),
        ),
    ]
