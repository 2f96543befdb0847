"""A lowest bet of 0 needs a switch that says so. Partners that have one keep it, switched on."""

from django.db import migrations, models

import apps.core.models


class Migration(migrations.Migration):
    dependencies = [("blackjack", "0008_paytable")]
    operations = [
        migrations.AddField(
            model_name="blackjackconfig",
            name="free_play",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="historicalblackjackconfig",
            name="free_play",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name="blackjackconfig",
            name="bet_min",
            field=apps.core.models.AmountField(decimal_places=8, max_digits=20),
        ),
        migrations.AlterField(
            model_name="historicalblackjackconfig",
            name="bet_min",
            field=apps.core.models.AmountField(decimal_places=8, max_digits=20),
        ),
        migrations.RunSQL(
            "UPDATE blackjack_config SET free_play = true WHERE bet_min = 0", migrations.RunSQL.noop
        ),
        migrations.AddConstraint(
            model_name="blackjackconfig",
            constraint=models.CheckConstraint(
                condition=models.Q(("free_play", True), ("bet_min__gt", 0), _connector="OR"),
                name="blackjack_config_free_play",
            ),
        ),
    ]
