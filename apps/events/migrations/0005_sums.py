"""An event may be of a sum of amounts, such as a player's stakes of a day, which a column for an amount may not hold.

The number of decimals stays, so PostgreSQL rewrites no row.
"""

from django.db import migrations

from apps.core.models import AmountSumField


class Migration(migrations.Migration):
    dependencies = [("events", "0004_by_partner_time")]

    operations = [
        migrations.AlterField("significantevent", "amount", AmountSumField(null=True)),
    ]
