"""Which currencies are play money, and how much of it a player is given: FUN, 1,000."""

from decimal import Decimal

from django.db import migrations, models

import apps.core.models


def play_money_mark(apps, schema_editor):
    """Say of FUN that it is play money."""
    apps.get_model("core", "Currency").objects.filter(code="FUN").update(is_play=True, play_grant=Decimal(1000))


class Migration(migrations.Migration):
    dependencies = [("core", "0002_change_refuse")]
    operations = [
        migrations.AddField(
            model_name="currency",
            name="is_play",
            field=models.BooleanField(db_default=False, default=False, verbose_name="play money"),
        ),
        migrations.AddField(
            model_name="currency",
            name="play_grant",
            field=apps.core.models.AmountField(db_default=0, decimal_places=8, default=0, max_digits=20),
        ),
        migrations.RunPython(play_money_mark, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="currency",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("is_play", True), ("play_grant__gt", 0)),
                    models.Q(("is_play", False), ("play_grant", 0)),
                    _connector="OR",
                ),
                name="currency_play_grant",
            ),
        ),
    ]
