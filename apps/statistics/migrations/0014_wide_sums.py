"""Sums of the highest stakes fit: one that does not fit would stop the statistics of all partners.

The number of decimals stays, so PostgreSQL rewrites no row.
"""

from django.db import migrations

from apps.core.models import AmountSumField
from apps.statistics.models import SumField

WIDENED = {
    "gameday": ("stake", "payout", "voided_stake", "voided_payout"),
    "luckstat": ("luck", "luck_squared", "given_away"),
    "movementday": ("change",),
    "partnerhour": ("stake", "payout", "voided_stake", "voided_payout"),
    "playstat": (
        "stake", "payout", "stake_squared", "expected", "variance", "voided_stake", "voided_payout",
    ),
}
AMOUNTS = ("stake", "payout", "voided_stake", "voided_payout")
"""The columns of `player_day`, which have the decimals of amounts."""


class Migration(migrations.Migration):
    dependencies = [("statistics", "0013_open_days")]

    operations = [
        *(
            migrations.AlterField(model, name, SumField(max_digits=60, decimal_places=16))
            for model, names in WIDENED.items()
            for name in names
        ),
        *(migrations.AlterField("playerday", name, AmountSumField()) for name in AMOUNTS),
    ]
